"""The namespace as a whole: its classes and names, what NumPy and the Array API ask for."""
