"""Around functions: files, pictures, reports of accuracy, checks of derivatives, tuning."""
