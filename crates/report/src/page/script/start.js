// The beginning.

verdicts();
if (story) { listen(); fromAddress(); } else { nothing(); }
