// The beginning.

verdicts();
if (story) { listen(); listenToHost(); fromAddress(); } else { nothing(); }
