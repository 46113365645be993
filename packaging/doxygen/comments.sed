# The headers' comments as Doxygen wants them: what stands behind a member describes it, and what
# stands before a declaration describes that. Headings stay plain.
1s|^/\* |/** @file\n * |
s|^\(.*[^ /*].*[^ ]\)\( *\)/\* \(.*\) \*/$|\1\2/**< \3 */|
s|^/\* \([^-]\)|/** \1|
