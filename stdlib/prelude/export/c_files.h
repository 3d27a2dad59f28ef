// C's functions of files that exported libraries call, which includes no header of the machine that
// a library is for.
#pragma once

#include <stddef.h>

extern "C" {
void* fopen(const char* path, const char* mode);
int fclose(void* file);
size_t fread(void* to, size_t size, size_t count, void* file);
size_t fwrite(const void* from, size_t size, size_t count, void* file);
int remove(const char* path);
int rename(const char* from, const char* to);
}
