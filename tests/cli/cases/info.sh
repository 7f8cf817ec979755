# Only the words, since the values are this machine's.
"$TALLY" info | cut -c 1-16 | sed 's/ *$//'
"$TALLY" info --threads 3 | grep threads
"$TALLY" info --device reference | grep device
"$TALLY" info --json | sed 's/no [GC][^"]*//g' | tr ',' '\n' | sed 's/: .*//'
# What is missing, and how to get it.
"$TALLY" info | grep ^gpu | sed 's/ (.*//'
"$TALLY" info --json | sed -e 's/.*"cuda": //' -e 's/ ([^"]*//g'
