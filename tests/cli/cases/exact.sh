# The sum of the README, and sums that a float loop gets wrong.
printf '1e100 1 -1e100' | try sum -
printf '0.1 0.2 0.3 -0.6' | try sum -
yes 0.1 | head -n 100000 | try sum -
yes 0.1 | head -n 100000 | try sum --type f32 -
printf '1e308 1e308 -1e308' | try sum -
printf '1e-320 1e-320' | try sum -
printf '1e200 1e200' | try norm2 -
printf '1e100 1 -1e100' | try sum --plain -
printf '1e16 1 -1e16' | try mean -
