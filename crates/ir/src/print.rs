//! From data back to text: a song that reads as what it was made from.
