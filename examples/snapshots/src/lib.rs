//! A package of which the tests keep outcomes of games as snapshots of insta.
