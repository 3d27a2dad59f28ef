"""Python's statements over traced values: functions rewritten to compiled loops and branches."""
