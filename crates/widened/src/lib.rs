//! Nothing: with this package the tests have the features that `nimrule/full`, the page's types
//! and the Python package's macros add to packages that all others are built on. So the lints,
//! the tests and the tests of the larger dependencies share what they build.
