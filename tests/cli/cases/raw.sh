# Raw elements from files and pipes.
f32 1 2 3 4 5 6 >x.raw
try sum --raw f32 x.raw
try sum --raw f32 - <x.raw
cat x.raw | try sum --raw f32 -
try sum --raw f32 --shape 2,3 --axis 0 x.raw
cat x.raw | try sum --raw f32 --shape 2,3 --axis 1 -
try stats --raw f32 --shape 3,2 x.raw
bf16 1 2 3 | try sum --raw bf16 -
little 2 1 2 65535 | try sum --raw i16 -
try sum --raw f64 --shape 2,2 x.raw
cat x.raw | try sum --raw f64 --shape 2,2 -
try sum --raw f32 --shape 7 x.raw
try sum --raw f32 --shape 9223372036854775807,4 x.raw
head -c 23 x.raw >short.raw
try sum --raw f32 short.raw
cat short.raw | try sum --raw f32 -
: >empty.raw
try sum --raw f32 empty.raw
try min --raw f32 empty.raw
try sum --shape 2,3 x.raw
try sum --raw f32 --shape 2,x x.raw
try sum --raw f32 --shape -2 x.raw
try sum --raw f32 --shape 1,1,1,1,1,1,1,1,6 x.raw
