// Values of inputs, ranges and extents as arguments of commands: NAME=VALUE.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/files/graph_file.h"
#include "frontend/sampling.h"
#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// "x.npy", "values.npz" with an array of the input's name, or a number. ValueError: none of them.
Array value_of(const char* command, const SavedInput& input, const std::string& text);

/// The values that texts give, in the order of the inputs; no array where there is none.
/// ValueError: a text that gives no input a value.
std::vector<Array> given_values(const char* command, const SavedGraph& graph,
                                const std::vector<std::string>& texts);

/// A name and what is given to it. ValueError: there is no '='; `of` says what is expected.
std::pair<std::string, std::string> name_and_value(const char* command, const std::string& text,
                                                   std::string_view of);
/// "-1:1" for the input of the name. ValueError: no range.
SampledRange range_of(const char* command, const std::string& name, const std::string& text);
/// "1000" for the extent of the name. ValueError: no number that is at least 0.
std::int64_t extent_of(const char* command, const std::string& name, const std::string& text);

/// What to do about an index out of range.
inline constexpr std::string_view advice_on_indices =
    "; indices need a range (--range i=0:2) or a value (i=i.npy)";

/// ValueError: an array that is no value of a parameter, by its dtype or rank.
void check_value(const char* command, const Parameter& parameter, const Array& value);

/// What the parser asks of options: "", or what is wrong with a text.
std::string fault_of_count(const std::string& text);   // an integer above 0
std::string fault_of_amount(const std::string& text);  // a finite number above 0
std::string fault_of_limit(const std::string& text);   // a number that is at least 0

}  // namespace gnomon
