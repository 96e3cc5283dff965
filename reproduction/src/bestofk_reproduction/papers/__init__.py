"""The figures and tables of the papers, one module for each paper or part of one."""
