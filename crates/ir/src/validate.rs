//! Checks the invariants of the forms.
