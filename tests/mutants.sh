#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Do the tests notice? Each row breaks one line of a copy of the sources - an identity, a carry, a tail, a rounding
# case - and at least one of the row's test programs must then fail. A row whose expression no longer changes its file,
# or whose result does not compile, is itself a failure: repair the row.
# Usage: tests/mutants.sh [NAME... | --part K/N | --check]    NAME: only these rows; --part: every Nth, from the Kth (0: the
# first) on; without names, the rows go in two halves side by side; --check: only whether each row's expression changes its file
set -euo pipefail

# name | file | sed expression | test programs (names without .c)
table='
carry_lost        | src/exact.h         | s@a->limb\[i\] + carry;@a->limb[i];@                     | oracle_exact
carry_top_lost    | src/exact.h         | s@limb\[top + 1\] = v >> EXACT_LIMB_BITS@limb[top + 1] = 0@ | oracle_exact
subnormal_factor  | src/exact.h         | s@(ex ? ex : 1) + (ey@ex + (ey@                          | oracle_exact
inf_times_zero    | src/exact.h         | s@ || (ex == 0 \&\& mx == 0)@@                          | oracle_exact oracle_reduce
merge_special     | src/exact.h         | s@a->special .= b->special;@@                            | oracle_exact inside_exact_rounding
both_infinities   | src/exact.c         | s@EXACT_NAN || both ?@EXACT_NAN ?@                       | oracle_exact inside_exact_rounding
tie_to_even       | src/exact_real.h    | s@value.sticky || (kept \& 1)@value.sticky@              | oracle_exact inside_exact_rounding
sticky_dropped    | src/exact_real.h    | s@value.sticky || (kept \& 1)@kept \& 1@                | oracle_exact inside_exact_rounding
subnormal_unit    | src/exact_real.h    | s@if (unit < format.smallest_exponent).*@@               | oracle_exact inside_exact_rounding
overflow_limit    | src/exact_real.h    | s@top >= format.largest@top > format.largest@            | oracle_exact inside_exact_rounding
mean_sticky       | src/exact_real.h    | s@x.sticky .= quotient \* n != x.bits;@@                 | oracle_exact
variance_sticky   | src/exact_real.h    | s@x.sticky .= leading\[i\] != 0@(void)0@                 | oracle_exact
pack_sign         | src/exact.c         | s@bytes + 4, (uint32_t)negative@bytes + 4, 0@            | oracle_exact inside_exact_rounding
lowest_i64        | src/exact.c         | s@length <= 63 || lowest@length <= 63@                   | oracle_exact inside_exact_rounding
sticky_below      | src/exact_natural.h | s@i < bit >> 6; i++@i < 0; i++@                          | oracle_exact
borrow_lost       | src/exact_natural.h | s@subtrahend - borrow@subtrahend@                        | oracle_exact
quotient_digit    | src/exact_natural.h | s@while (below)@while (0)@                               | oracle_exact
f16_tie           | src/narrow.h        | s@0xfffu + (size >> 13 \& 1u)@0x1000u@                    | inside_narrow
sum_to_odd        | src/narrow.h        | s@ \& ~bits \& 1;@ \& 0;@                                | inside_narrow
bits_identity     | src/fold_integer.h  | s@IDENTITY(s) (s).part.0. = -1@IDENTITY(s) (s).part[0] = 0@ | known_answers
min_drops_nan     | src/fold_real.h     | s@.0. < (a).part.0. || (b).part.0. != (b).part.0.@[0] < (a).part[0]@ | known_answers engines_agree
lane_tail         | src/cpu/fold_tmpl.h | s@y + i \* parts, n - i,@y + i * parts, n - i - 1,@        | known_answers engines_agree
lane_head         | src/cpu/fold_tmpl.h | s@n < TREE_LANES - first ? n : TREE_LANES - first@0@      | partials invariance tree_shape
widened_offset    | src/cpu/fold_widened_tmpl.h | s@offset + (size_t)first, .widened@offset, \&widened@ | columns_ordered
mask_ignored      | src/cpu/fold_tmpl.h | s@if (mask.i.)@if (1)@                                   | known_answers engines_agree
arg_tie           | src/state.c         | s@theirs->index < ours->index \&\&@theirs->index > ours->index \&\&@ | partials invariance
root_too_large    | src/exact_natural.h | s@.. root \* root > n) root--@) root--@                   | oracle_exact
cache_unchecked   | src/kernel_cache.c | s@checksum.low == head->checksum.low@1@                 | inside_kernel_cache
cache_any_key     | src/kernel_cache.c | s@ \&\& memcmp(content, key, head.key_bytes) == 0@@      | inside_kernel_cache
cache_any_writer  | src/kernel_cache.c | s@ \&\& !(info.st_mode \& S_IWOTH)@@                    | inside_kernel_cache
cache_in_place    | src/kernel_cache.c | s@int file = open(temporary, O_WRONLY . O_CREAT . O_EXCL@snprintf(temporary, sizeof temporary, "%s", path);int file = open(temporary, O_WRONLY | O_CREAT@ | inside_kernel_cache
shipped_any_writer | src/kernel_cache_shipped.c | s@ || info.st_mode \& S_IWOTH@@             | inside_kernel_shipped
shipped_deleted   | src/kernel_cache.c  | s@find(path, key, 0, bytes, size) == FOUND@find(path, key, 0, bytes, size) == FOUND || (unlink(path), 0)@ | inside_kernel_shipped
shipped_later     | src/gpu/cuda_kernel.c | s@lowest = architecture / 10 \* 10@lowest = architecture@ | inside_kernel_shipped
shipped_compiler  | src/gpu/cuda_kernel.c | s@architecture, ANY_COMPILER, sources@architecture, nvrtc_version_text(), sources@ | inside_kernel_shipped
cache_no_bound    | src/kernel_cache_files.c | s@total > limit \&\& !spared@0@                      | inside_kernel_cache
user_lane         | src/user/kernels_tmpl.h | s@(element) / USER_LANE_ELEMENTS@(element) % USER_LANES@ | user_reduce
user_close        | src/user/kernels_tmpl.h | s@close_level(op, memory, has, width, width, 1)@close_level(op, memory, has, 2 * width, 1, 128 / width)@ | user_reduce
user_stone        | src/user/kernels_tmpl.h | s@for (int r = count - 1; r >= distance; r--)@for (int r = distance; r < count; r++)@ | user_scan
user_first_run    | src/user/group_tmpl.h | s@line->has.USER_LINE_BASE.) return 1@line->has[USER_LINE_BASE]) return 0@ | user_scan
user_group_count  | src/user/group_tmpl.h | s@count + k + !exclusive@count + k@                       | user_scan
user_group_left   | src/user/group_tmpl.h | s@if (!exclusive .. j > 0) COMBINE@if (j > 0) COMBINE@    | user_scan
user_group_turn   | src/user/group_tmpl.h | s@user_shuffle(op, spare, group)@memcpy(spare, group, sizeof(*group) * USER_GROUP)@ | user_scan
user_stale_base   | src/user/kernels_tmpl.h | s@if (line->position == USER_GROUP) line->has.*@@        | user_scan
user_index        | src/user/tree.c     | s@part.index = run->index + done;@part.index = run->index;@ | user_partials user_reduce
user_stale_lanes  | src/user/tree.c     | s@if (!tree->open) memset(tree->lane_has.*@@              | user_reduce
user_seek         | src/user/line.c     | s@line->count += add->count;@@                           | user_scan
user_cells_fresh  | src/user/cells_tmpl.h | s@element % USER_LANE_ELEMENTS == 0@element == 0@        | user_cells
user_cells_width  | src/user/cells_tmpl.h | s@l + width < filled@l + width <= filled@                  | user_cells
user_cells_first  | src/cpu/cells_user.c | s@, first + done);@, first);@        | user_cells
user_cells_leaf   | src/cpu/cells_user.c | s@if (end > reduction->length) end = reduction->length;@@ | user_cells
cpu_near_floats   | src/cpu/exact_near.h | s@near->off = near_up(near->off + (double)largest.*@(void)k;@ | near_sums
cpu_near_doubles  | src/cpu/exact_near.h | s@near->off += largest \* .*@(void)k;@                      | near_sums
cpu_near_ends     | src/cpu/near.c       | s@add_off(state, near, 2);@@                                 | near_sums
cpu_near_scale    | src/cpu/near.c       | s@double_bits(near.k..low), k \* NEAR_DOWN@double_bits(near[k].low), 0@ | near_sums
cpu_near_columns  | src/cpu/exact_columns_tmpl.h | s@sums->off.c. += fabs(lost);@(void)lost;@           | near_sums
cpu_near_reach    | src/cpu/columns.c    | s@reach = off == 0 ? 0 :@reach = off != 0 ? 0 :@              | near_sums
cpu_near_pairs    | src/cpu/columns.c    | s@    .off += lost;@@                                        | near_sums
ordered_level     | src/cpu/scan_ordered_tmpl.h | s@run >= distance@run > distance@                    | scan_cells
ordered_begins    | src/cpu/scan_ordered_tmpl.h | s@begins = row % SCAN_RUN == 0@begins = row == 0@        | scan_cells
ordered_zero      | src/cpu/scan_cells.c | s@, 1, calculation->combine == COMBINE_ADD, out@, 1, 0, out@    | scan_cells
scan_cells_lost   | src/cpu/scan_cells.c | s@if (block->pairs.lost) return 0;@@                      | scan_cells
scan_cells_before | src/cpu/scan_cells.c | s@first, .before, tiles@first, \&block.pairs, tiles@        | scan_cells
scan_cells_after  | src/cpu/scan_sum.h   | s@if (!exclusive) high = sum@if (1) high = sum@           | scan_cells
columns_arg_place | src/cpu/columns.c   | s@int64_t place = s . tiles->stretch_rows +@int64_t place =@ | columns_arg
columns_arg_nan   | src/cpu/search_tmpl.h | s@ || ((v) != (v) \&\& (best) == (best))@@              | columns_arg
ordered_lane      | src/cpu/ordered_columns_tmpl.h | s@(offset + (size_t)r) % TREE_LANES@(size_t)r % TREE_LANES@ | columns_ordered
ordered_identity  | src/cpu/ordered_columns_tmpl.h | s@#if defined(IDENTITY_COUNTS)@#if 0@       | columns_ordered
ordered_pairs     | src/cpu/ordered_columns_tmpl.h | s@used > width ? used - width : 0@used / 2@ | columns_ordered
ordered_far       | src/cpu/power_columns_tmpl.h | s@apart .= shifted >= least.*@@               | columns_ordered
ordered_far_run   | src/cpu/ordered_columns_tmpl.h | s@near &= @near = @                         | columns_ordered
ordered_leaves    | src/cpu/columns_ordered.c | s@leaf_totals(tiles, tile, leaf + step)@leaf_totals(tiles, tile, leaf + 1)@ | columns_ordered
ordered_first     | src/cpu/columns_ordered.c | s@tiles->first + index / tiles->leaves@index / tiles->leaves@ | columns_ordered
carry_long        | src/gpu/kernels/scan_waves/wave_words.cuh | s@size >> MOST_BITS != 0@bits_of(size) > MOST_BITS@ | device_rows
user_same_name    | src/user/registry.c | s@same_hash(operators.i.->hash, .hash)@same_hash(operators[i]->hash, operators[i]->hash)@ | user_partials
user_node_lost    | src/user/kernels_tmpl.h | s@for (int level = USER_SECTION_LEVELS - 1; level >= 0@for (int level = USER_SECTION_LEVELS - 2; level >= 0@ | user_scan
user_fused        | src/user/compile.c  | s@has_avx2 \&\& op->multiplies@0@                        | user_compiler
user_wave_section | src/gpu/kernels/user/user_wave.cu | s@section + (rest >> l << l) - 1@section + (rest >> l << l)@ | device_user_long
user_wave_block   | src/gpu/kernels/user/user_wave.cu | s@if (group >= USER_BLOCK_GROUPS) left_append.*@@ | device_user_long
user_chain_node   | src/gpu/kernels/user/user_scan.cu | s@if (lane >> level \& 1) part_join@if (lane >> level \& 2) part_join@ | device_user device_user_long
user_carry_node   | src/gpu/kernels/user/user_line.cuh | s@? (blocks >> level << level) - 1@? (blocks >> level << level)@ | device_user_carry
user_carry_half   | src/gpu/kernels/user/user_wave.cu | s@if (whole < count) line_put.*@@ | device_user_carry
user_carry_joined | src/gpu/kernels/user/user_wave.cu | s@lane >= first @lane >= 0 @ | device_user_carry
user_carry_absent | src/gpu/kernels/user/user_wave.cu | s@p->position - line_of(p, c->cell)->count@p->position@ | device_user_carry
user_carry_last   | src/gpu/kernels/user/user_scan.cu | s@known = p.lines ? p.units : p.units - 1, places@known = p.units - 1, places@ | device_user_carry
user_carry_index  | src/gpu/user_scan.c | s@p->position = user_line_elements.*@@ | device_user_carry
user_carry_shape  | src/gpu/user_wave.c | s@if (open % shape->chunk_blocks) continue;@@ | device_user_carry
user_carry_nodes  | src/gpu/user_wave.c | s@same \&\& starts_well(scan)@same@ | device_user_carry
user_stream_pair  | src/gpu/kernels/user/user_stream.cu | s@count > 3 \* USER_LEAF / 4@count > USER_LEAF@   | device_user_long
user_scan_shared  | src/gpu/user_scan.c | s@limits->shared_bytes < SHARED_BYTES . limits->shared_bytes : @@ | device_user
user_leaf_index   | src/gpu/kernels/user/user_reduce.cu | s@part_append(total, .at, p->position + i)@part_append(total, \&at, i)@ | device_user_pieces
user_unsound      | src/host_object.c   | s@sound = memcmp(bytes + size - sizeof want, .want, sizeof want) == 0@sound = 1@ | user_compiler
sticky_forgotten  | src/gpu/driver.c    | s@case 700:@case 7000:@                                  | inside_cuda_machine
context_kept      | src/gpu/cuda_machine.c | s@cuda->driver->cuCtxPopCurrent(.popped);@(void)popped;@ | inside_cuda_machine
contraction_on    | src/gpu/nvrtc.c     | s@--fmad=false@--fmad=true@                              | inside_cuda_machine
transfer_tail     | src/gpu/transfer.c  | s@SLOT_BYTES ? left :@SLOT_BYTES ? left - 1 :@       | threads_transfer host_arrays
piece_of_mask     | src/gpu/pieces.c    | s@piece.where += first \*@piece.where += 0 *@             | host_arrays
piece_output      | src/gpu/pieces.c    | s@piece.out + first \*@piece.out + 0 *@                   | host_arrays
plan_initial      | src/prepared.c      | s@calculation->initial = made->initial;@@                | plans
plan_memory       | src/gpu/prepare.c   | s@TRY(check_place(context, "output".*@@                  | plans
simt_other_place  | simt/meet.c         | s@block->place != place@0@                               | inside_simt_wrong
simt_mask_apart   | simt/meet.c         | s@lane->mask != mask || @@                               | inside_simt_wrong
simt_one_shared   | simt/run.c          | s@if (runner->loaded \&\& runner@if (0 \&\& runner@    | inside_simt
simt_shuffle_up   | simt/meet.c         | s@lane >= first + other ? lane - other@lane >= other ? lane - other@ | inside_simt
partial_position  | src/gpu/accumulate.c | s@pass->position + (int64_t)words\[1\]@(int64_t)words[1]@ | gpu_partials
partial_failed    | src/gpu/accumulate.c | s@\*failed += sums;@@                                   | gpu_partials
gather_skip       | src/gpu/gather.c    | s@p.skip = walk->tail - walk->head@p.skip = 0@           | gpu_partials
words_headroom    | src/gpu/exact_words.c | s@define HEADROOM 41@define HEADROOM 40@               | inside_gpu_carry
kernel_end        | src/gpu/kernels/reduce/reduce.cu | s@(p->length - first.place) / VECTOR : 0@(p->length - first.place) / VECTOR + 1 : 0@ | device_short
kernel_edge       | src/gpu/kernels/reduce/reduce.cu | s@- ((tile_mask)1 << unit.from)@- 1@          | device_agree
nest_carry        | src/gpu/kernels/reduce/reduce.cu | s@if (carry) walk->at.d. -= LOOP_UNITS(p, d);@@    | device_agree
map_first         | src/gpu/map.c       | s@map_from(context, .right, first + left.elements)@map_from(context, \&right, first)@ | map
map_strides       | src/gpu/staging.c   | s@range_add(.range, map->loops, map->count, map_operands.c.);@@ | map
carry_not_appended | src/gpu/scan_carried.c | s@if (status == TALLY_OK) append_totals(scan, totals);@@ | gpu_partials host_arrays
carry_place       | src/gpu/scan_carry_words.c | s@EXACT_LIMB_BITS \* sum->low@EXACT_LIMB_BITS * (sum->low + 1)@ | gpu_partials
piece_of_axis     | src/gpu/scan_carried.c | s@scan->out + steps \*@scan->out + 0 *@          | host_arrays
module_any_size   | src/module.c        | s@kernel->parameters >= 0 \&\& argument->size != @0 \&\& argument->size != @ | modules
module_any_place  | src/module.c        | s@argument->kind == PASS_MEMORY \&\& argument@0 \&\& argument@ | modules
mangled_any       | src/gpu/cuda_module.c | s@if (found \&\& strcmp(found, candidate) != 0) return NULL;@@ | inside_cuda_module
place_lost        | src/gpu/cuda_memory.c | s@        place = PLACE_LOST;@@                | inside_cuda_module
entry_of_template | src/gpu/simt_rewrite.c | s@ \&\& !r->now.templated@@                        | inside_simt_rewrite
rung_barrier      | ladder/sequential.cu | s@        __syncthreads();@@                          | ladder_reduce
rung_tail         | ladder/rows_warp.cu | s@identity()@input[0]@                                | ladder_matrix
counters_weight   | ladder/counters_read.c | s@weight \* reading->values@reading->values@              | ladder_counters
counters_launch   | ladder/counters_read.c | s@reading->launches++;@reading->launches = 1;@            | ladder_counters
life_carry        | life/cpu_rule_tmpl.h | s@ . (below_high \& carry);@;@                            | life_cpu
life_count_eight  | life/cpu.c          | s@(born ^ born >> 8) \& 1 .. @@                          | life_cpu
life_row_end      | life/cpu_kernels.c  | s@>> end.bit \&@>> 63 \&@                                | life_cpu
life_dead_above   | life/cpu_halo.c     | s@(row < 0 || @(@                                        | life_cpu
life_slab_above   | life/cpu_tiles.c    | s@y = slab + down - 1;@y = slab + down;@                 | life_cpu
life_odd_pass     | life/cpu_tiles.c    | s@if (odd) cpu_tiles_forget(world);@@                    | life_cpu
life_repeats      | life/cpu.c          | s@generations %= CPU_PASS;@generations = 0;@             | life_cpu
tasks_of_one      | src/reference.c     | s@i < count; i++) task(@i + 1 < count; i++) task(@       | threads_parallel
zeros_left        | src/gpu/kernels/scan/board.cuh | s@places\[i\] = none;@(void)none;@                | device_wave
whole_first_best  | src/gpu/kernels/reduce/method_index.cuh | s@index_beats(best, open->best)) return;@index_beats(open->best, best)) return;@ | device_whole
whole_words       | src/gpu/kernels/reduce_whole/whole_exact.cuh | s@used .= words->w.k.;@@                        | device_sums device_whole
whole_too_wide    | src/gpu/kernels/reduce_whole/whole_span.cuh | s@if (shift > SPAN_BITS .. span_bits(s) + shift > SPAN_BITS) return 1;@@ | device_sums device_whole
whole_merged_once | src/gpu/kernels/reduce_whole/whole_exact.cuh | s@if (lane < (int32_t)half) state_merge@if (lane + half < 32) state_merge@ | device_sums device_whole
whole_shared      | src/gpu/kernels/reduce_whole/long_gather.cuh | s@word += below >> 32;@@ | device_sums device_whole
gather_zeros      | src/gpu/kernels/reduce_whole/long_gather.cuh | s@if (from != to) words.i. = 0;@@ | device_sums device_whole
gather_special    | src/gpu/kernels/reduce_whole/long_gather.cuh | s@ \&\& own->special == 0@@ | device_sums device_whole
far_same_bin      | src/gpu/kernels/reduce_whole/bins_of_doubles.cuh | s@(to == to_too ? x + y : y)@y@                  | device_sums device_whole
far_bins_kept     | src/gpu/kernels/reduce_whole/bins_of_doubles.cuh | s@        bins.i \* THREADS. = 0;@@              | device_sums device_whole
far_same_float    | src/gpu/kernels/reduce_whole/bins_of_floats.cuh | s@? sum : before_too@? before : before_too@ | device_sums
far_floats_full   | src/gpu/kernels/reduce_whole/bins_of_floats.cuh | s@= 1 << 9@= 1 << 10@ | device_sums
far_no_carry      | src/gpu/kernels/reduce_whole/whole_far.cuh | s@if (count % CARRY_CHUNKS == 0) copies_carry(turn);@@ | device_sums device_whole
few_bits          | src/gpu/kernels/reduce_whole/few_quick.cuh | s@53 - SIGNIFICAND - growth@53 - SIGNIFICAND@ | device_sums device_whole
few_growth        | src/gpu/kernels/reduce_whole/few_numbers.cuh | s@numbers_of(&next, x) > top@numbers_of(\&next, x) > 5000@ | device_sums device_whole
few_left          | src/gpu/kernels/reduce_whole/few_numbers.cuh | s@failed .. left != 0@failed@ | device_sums device_whole
few_ahead         | src/gpu/kernels/reduce_whole/few_quick.cuh | s@chunk += AHEAD;@chunk += AHEAD - 1;@ | device_sums device_whole
few_part          | src/gpu/kernels/reduce_whole/reduce_few.cu | s@chunk + count <= part->count \&\& first@first@ | device_sums device_whole
few_chunk         | src/gpu/kernels/reduce_whole/reduce_few.cu | s@chunk < part.count \&\& at@at@ | device_sums device_whole
layer_next        | src/gpu/kernels/reduce_whole/layers.cuh | s@while (top > 0) top =@if (top > 0)@ | device_sums device_whole
layer_kept        | src/gpu/kernels/reduce_whole/layers.cuh | s@else if (rest != own) x@else x@ | device_sums device_whole
words_spilled     | src/gpu/kernels/common/exact_words.cuh | s@long_add_signed(words_spill(a), low@long_add_signed(words_spill(a), 0@ | device_whole
whole_middle      | src/gpu/kernels/reduce/short_total.cuh | s@if (mean != less) mean = .*;@@ | device_sums device_whole device_absent
whole_end         | src/gpu/kernels/reduce_whole/reduce_whole.cu | s@to = rest < VECTOR@to = rest > VECTOR@       | device_whole
short_range       | src/gpu/kernels/common/quick_exact.cuh | s@return top == 255 .. top - bottom > .*;@return top == 255;@ | device_short
short_limit       | src/gpu/kernels/common/quick_exact.cuh | s@> 53 -@> 54 -@                                  | device_short
short_pair_lost   | src/gpu/kernels/common/quick_exact.cuh | s@return w->lost != 0;@return 0;@              | device_short
short_first       | src/gpu/kernels/reduce_short/short_index.cuh | s@b.place < a->place@b.place > a->place@         | device_short
short_nowhere     | src/gpu/kernels/reduce_short/short_index.cuh | s@q->place == NOWHERE ? 0 : q->place@q->place@   | device_short
whole_of_chunk    | src/gpu/kernels/reduce_whole/whole_index.cuh | s@int i = TILE - 1; i >= 0; i--@int i = 0; i < TILE; i++@ | device_whole
integer_carry     | src/gpu/kernels/reduce/exact_integer_tile.cuh | s@a->w.2. += sign + carry + (a->w.1. < high);@a->w[2] += sign + carry;@ | device_whole
whole_claims      | src/gpu/kernels/reduce_whole/whole_state.cuh | s@if (threadIdx.x == 0) p->tickets.CLAIMS. = 0;@@ | device_whole
floats_summed     | src/gpu/kernels/common/exact_tile.cuh | s@ \&\& range.top - range.bottom <= FLOATS_SPAN@@ | device_whole
product_rounded   | src/gpu/kernels/reduce/exact_float_tile.cuh | s@return !(size < 0x1p120f).*@return 0;@     | device_whole
strip_listed      | src/gpu/kernels/reduce/failed_cells.cuh | s@if (place < p->wide_capacity) p->wide_cells.*@(void)place;@ | device_spread
short_exchange    | src/gpu/kernels/reduce_short/short_rows.cuh | s@if (upper) first += rows;@@                   | device_short
ends_first        | src/gpu/kernels/reduce_strips/strip_ends.cuh | s@units \&\& (here < w->begin || here@units \&\& (here@ | device_short_columns
ends_mask         | src/gpu/kernels/reduce_strips/strip_ends.cuh | s@here < w->units \&\& (here@(here@ | device_short_columns
shifted_upper     | src/gpu/kernels/reduce/shifted.cuh | s@int upper = (at & 4) != 0;@int upper = 0;@             | device_short_columns
shifted_last      | src/gpu/kernels/reduce_short/short_shifted.cuh | s@return column < last ? column : last;@return column;@ | device_short_columns
shifted_outer     | src/gpu/kernels/reduce_short/short_shifted.cuh | s@return s->outer . p->kept.*extent + @return @      | device_short_columns
shifted_there     | src/gpu/kernels/reduce_short/short_shifted.cuh | s@if (to) store_result@store_result@                  | device_short_columns
shifted_across    | src/gpu/kernels/reduce_short/short_shifted.cuh | s@group = (j . 32 + lane) / SIDE@group = lane / SIDE@ | device_short_columns
shifted_edges     | src/gpu/kernels/reduce_short/short_shifted.cuh | s@inside ? (uint32_t)(uintptr_t)x : 0@(uint32_t)(uintptr_t)x@ | device_short_columns
columns_stroll    | src/gpu/kernels/reduce_short/short_aligned.cuh | s@KEPT_NEST == 2 && p->kept.1..extent < STRIDE@0@    | device_short_columns
spread_bound      | src/gpu/kernels/reduce/spread.cuh | s@(4 . terms + 64) . HALF_UNIT@0@                 | device_spread
spread_between    | src/gpu/kernels/reduce/spread.cuh | s@return bits == result_bits(high);@return 1;@    | device_spread
far_rest          | src/gpu/kernels/reduce/far_origin.cuh | s@if (far_place(o, x) <= o->span) return;@return;@ | device_spread
powers_scale      | src/gpu/kernels/reduce_tree/ordered_leaf.cuh | s@ \* lanes->scale@@       | device_powers
powers_guess      | src/gpu/kernels/reduce_tree/seen_powers.cuh | s@seen.most <= most.most@1@               | device_powers
powers_wrap       | src/gpu/kernels/reduce_tree/power_table.cuh | s@if (middle < INTEGER_LEAST + BELOW).*@@  | device_powers
powers_high       | src/gpu/kernels/reduce_tree/seen_powers.cuh | s@fits \&= seen.far == 0;@@                      | device_powers
powers_rest       | src/gpu/kernels/reduce_tree/row_powers.cuh | s@if (length % TREE_LANES) seen_join.*@@           | device_powers
powers_rows       | src/gpu/kernels/reduce_tree/row_powers.cuh | s@if (rows > BATCH) sums->largest.*@@              | device_powers
powers_absent     | src/gpu/kernels/reduce_tree/row_powers.cuh | s@q < present ? power : 0@power@                   | device_powers
powers_near       | src/gpu/kernels/reduce_tree/row_powers.cuh | s@near \&\& seen_fits@near || seen_fits@          | device_powers
powers_row_aligned | src/gpu/reduce_plan_rows.c   | s@return length % 4 == 0 \&\& .*@return 1;@       | device_powers
powers_each       | src/gpu/kernels/reduce_tree/reduce_rows.cu | s@if (k == member)@if (k == 0)@                   | device_tree_rows
powers_not_held   | src/gpu/kernels/scan_tree/ordered_sums_near.cuh | s@POWERS_ARE_FLOATS . LOWEST : LEFT_LOWEST@LOWEST@ | device_scan_powers
leaves_at_odd     | src/gpu/kernels/reduce_tree/row_powers.cuh | s@first % LANES) return 0;@first < 0) return 0;@ | gpu_partials
powers_apart      | src/gpu/kernels/reduce_tree/ordered_steps.cuh | s@POWERS_APART + .*;@POWERS_APART;@            | device_powers
bytes_signed      | src/gpu/kernels/reduce_tree/power_table.cuh | s@if (BELOW) word@if (0) word@             | device_powers
integers_apart    | src/gpu/kernels/reduce_tree/integer_lanes.cuh | s@LONE = 48@LONE = 20@                     | device_powers
integers_far      | src/gpu/kernels/reduce_tree/integer_lanes.cuh | s@FAR = 48@FAR = 20@                       | device_powers
integers_none     | src/gpu/kernels/reduce_tree/integer_lanes.cuh | s@if (lane_is_none(&b)) return;@@          | device_powers
rows_looked_up    | src/gpu/kernels/reduce_tree/tree_rows_integers.cuh | s@>= NO_SPOT@> 2 * NO_SPOT@                | device_powers
rows_not_there    | src/gpu/kernels/reduce_tree/tree_rows_integers.cuh | s@spot = is_there .*@@                     | device_powers
columns_looked_up | src/gpu/kernels/reduce_tree/lanes_integers.cuh | s@near &= .*@@                             | device_powers
near_leaf         | src/gpu/kernels/reduce_tree/lanes_near.cuh | s@fit \&= fits;@@                                | device_powers device_lanes
near_inside       | src/gpu/kernels/reduce_tree/lanes_near.cuh | s@some->inside ? power : 0@power@                | device_powers device_lanes
near_pairs        | src/gpu/kernels/reduce_tree/lanes_near.cuh | s@of_pair(cells->seen.k / 2..largest, k % 2)@of_pair(cells->seen[k / 2].largest, 0)@ | device_powers device_lanes
lanes_owner       | src/gpu/kernels/reduce_tree/lanes_join.cuh | s@room.seat->cell \* SIDE + k. = total@room[seat->cell * SIDE] = total@ | device_lanes
lanes_absent      | src/gpu/kernels/reduce_tree/lanes_join.cuh | s@sum += room.i \* BLOCK_CELLS + owner->cell.@sum += room[owner->cell]@ | device_lanes
lanes_merged      | src/gpu/kernels/reduce_tree/lanes_join.cuh | s@first + k < end@first + k <= end@ | device_lanes
lanes_present     | src/gpu/kernels/reduce_tree/lanes_leaf.cuh | s@>> 8 \* i \& 255@\& 255@ | device_lanes
lanes_last_side   | src/gpu/kernels/reduce_tree/reduce_lanes.cu | s@column < extent - SIDE ? column : extent - SIDE@column@ | device_lanes
lanes_even        | src/gpu/reduce_plan_lanes.c | s@return strides % side == 0 \&\& @return @ | device_lanes
lanes_extent      | src/gpu/reduce_plan_lanes.c | s@if (reduction->kept.reduction->kept_count - 1..extent % side) continue;@@ | device_lanes
lanes_in_parts    | src/gpu/reduce_plan_lanes.c | s@"SIDE_IN_PARTS", lie_in_parts(reduction)@"SIDE_IN_PARTS", 0 * lie_in_parts(reduction)@ | device_lanes
lanes_leaves      | src/gpu/reduce_plan_lanes.c | s@"ONE_LEAF", plan->parameters.split_units == 1@"ONE_LEAF", 1@ | device_lanes
near_scale        | src/gpu/kernels/reduce_tree/lanes_near.cuh | s@ \* scaled(1, POWER_INTEGER - above)@@         | device_powers device_lanes
walk_round        | src/gpu/kernels/reduce_tree/row_walk.cuh  | s@walk->inner + q >= walk->extent@0@              | device_powers
walk_step         | src/gpu/kernels/reduce_tree/row_walk.cuh  | s@walk->inner -= walk->extent;@@                  | device_powers
walk_last         | src/gpu/kernels/reduce_tree/row_walk.cuh  | s@min(q, last)@q@                                 | device_powers
walk_aligned      | src/gpu/reduce_plan_rows.c    | s@if (inner > 0) length .= .*@@                   | device_powers
powers_same       | src/gpu/kernels/reduce_tree/full_powers.cuh | s@__all_sync(FULL_WARP, \(seen_fits(sums.seen, guess)\))@\1@ | device_powers
powers_border     | src/gpu/kernels/reduce_tree/power_table.cuh | s@table->none = .*@table->none = 0;@       | device_powers
powers_own        | src/gpu/kernels/reduce_tree/near_powers.cuh | s@if (own > -INFINITY)@if (0)@                    | device_powers
powers_fit        | src/gpu/kernels/reduce_tree/near_powers.cuh | s@ \&\& shifted <= POWER_INTEGER + MOST@@           | device_powers
powers_far        | src/power.h         | s@larger + smaller \* scale@larger + smaller@            | device_powers tree_shape known_answers
powers_factor     | src/power.h         | s@s / power_factor_double(m)@s@                          | known_answers device_powers
wave_base         | src/gpu/kernels/scan_waves/wave_board_fold.cuh | s@state_append(.base.state, .sum);@@       | device_agree
wave_tie          | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@return !exact .. bits != nearest(most);@return 0;@ | device_wave
wave_place        | src/gpu/kernels/scan_waves/wave_amount.cuh | s@if (!fails) .value <<= shift;@@                 | device_wave
few_zeros         | src/gpu/kernels/scan/board.cuh | s@lane; i < splits; i += 32@lane + 1; i < splits; i += 32@ | device_few
few_ticket        | src/gpu/kernels/scan/board.cuh | s@if (lane == 0) .p->ticket = 0;@@               | device_few
few_some          | src/gpu/kernels/scan_waves/scan_few.cu | s@first + i / PARTS < count@first + i / PARTS + 1 < count@ | device_few
few_empty         | src/gpu/kernels/scan_waves/scan_few.cu | s@room->total.warp. = amount_none();@(void)warp;@   | device_few
few_cells         | src/gpu/kernels/scan_waves/scan_few.cu | s@c->cell . given->reduce.splits@0@                | device_few
cluster_later     | src/gpu/kernels/scan/board.cuh | s@block > split \&\& block < board->splits@block > split + 1 \&\& block < board->splits@ | device_few
cluster_bytes     | src/gpu/kernels/scan_waves/scan_few.cu | s@blockIdx.x . PLACES_OF_SPLIT@(blockIdx.x + 1) * PLACES_OF_SPLIT@ | device_few
cluster_state     | src/gpu/kernels/reduce_whole/whole_cluster.cuh | s@lane < busy_blocks(a)@lane + 1 < busy_blocks(a)@ | device_whole
cluster_span      | src/gpu/kernels/reduce_whole/few_cluster.cuh | s@ << shift;@;@                            | device_sums device_whole
cluster_more      | src/gpu/kernels/reduce_whole/few_cluster.cuh | s@        has_more = (int)piece.1..seal;@@      | device_sums device_whole
cluster_too_long  | src/gpu/kernels/reduce_whole/few_cluster.cuh | s@shift > MOST_BITS .. span_bits(mine) + shift > MOST_BITS@0@ | device_sums device_whole
cluster_awaited   | simt/cluster.c       | s@while (!is_complete(runner_of(fibre))) simt_yield(self);@@ | inside_simt
index_place       | src/gpu/kernels/reduce_whole/whole_index.cuh | s@(int32_t)threadIdx.x + at@at@; s@(int64_t)threadIdx.x + at@at@ | device_whole
index_first       | src/gpu/kernels/reduce_whole/whole_state.cuh | s@s.index += a.first;@(void)0;@                 | device_whole
index_tie         | src/gpu/kernels/reduce_whole/whole_index.cuh | s@is_best ? (int32_t)s.index : none@s.index >= 0 ? (int32_t)s.index : none@ | device_whole
chain_carry       | src/gpu/kernels/scan_tree/ordered_chain.cuh | s@out = (round - 1) . ROUND + k, in@out = round * ROUND + k, in@ | device_wave
norm_rest         | src/gpu/kernels/reduce_whole/whole_exact.cuh | s@return IS_NARROW .. !IS_COMPLEX@return IS_NARROW@ | device_sums device_whole
wave_fill         | src/gpu/scan_plan_chunks.c | s@infinity . top : kind == KIND_SIGNED ? top : 0@0 : 0@ | device_wave
wave_apart        | src/gpu/kernels/scan_waves/wave_amount.cuh | s@+ shift > MOST_BITS);@+ shift > 500);@         | device_wave
wave_bins         | src/gpu/kernels/scan_waves/wave_run_floats.cuh | s@small += x - (next - large);@small += 0;@      | device_wave
far_borrow        | src/gpu/kernels/scan_waves/wave_far.cuh | s@s->digit\[0\] += from_below;@s->digit[0] += 0;@ | device_wave
far_upto          | src/gpu/kernels/scan_waves/wave_board_exact.cuh | s@far_keep(.beside.warp., sum, 0);@far_keep(\&beside[warp], own, 0);@ | device_wave
far_lanes         | src/gpu/kernels/scan_waves/wave_far_results.cuh | s@lane = 31 - __clz((int)lanes);@lane = __ffs((int)lanes) - 1;@ | device_wave
far_pairs         | src/gpu/kernels/scan_waves/wave_far_results.cuh | s@by_digits = run_in_pairs(.*@by_digits = 0;@         | device_wave
wave_lost         | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@((steps)\*0x1p-53)@((steps)*0x1p-65)@ | device_wave
modulo_short      | src/modulo.h        | s@return less < x ? less : x;@return x;@           | device_modular
shared_variables  | src/gpu/simt_module.c | s@bytes > MOST_SHARED@bytes > 2 * MOST_SHARED@   | inside_simt_wrong
tall_wide_bytes   | src/gpu/reduce_plan_tall.c | s@COMBINE_ADD_WIDE && type->size == 1@COMBINE_ADD_WIDE \&\& 0@ | device_modular
near_lost         | src/gpu/kernels/scan/near.cuh | s@near->error += fabs(lost);@@                       | device_wave
far_range         | src/gpu/kernels/scan_waves/wave_far.cuh | s@int fails = IS_NARROW .*@int fails = 0;@             | device_wave
far_team          | src/gpu/kernels/scan_waves/wave_board_exact.cuh | s@lanes = FAR_TEAM; lanes < 32@lanes = 32; lanes < 32@ | device_wave
special_open      | src/gpu/kernels/scan_waves/wave_specials.cuh | s@bits << distance . open;@bits << distance;@ | device_specials_scan
special_unlike    | src/gpu/kernels/scan_waves/wave_specials.cuh | s@ \| (reached.1. . reached.2.)@@ | device_specials_scan
special_before    | src/gpu/kernels/scan_waves/wave_specials.cuh | s@left .= before;@left |= 0;@ | device_specials_scan
special_exclusive | src/gpu/kernels/scan_waves/wave_specials.cuh | s@(upto << 1 . open)@(upto \& open)@ | device_specials_scan
special_total     | src/gpu/kernels/scan_waves/wave_words.cuh | s@if (special .. (threadIdx.x . 31) == 31)@if (0)@ | device_specials_scan
special_chunk     | src/gpu/kernels/scan_waves/wave_board_amount.cuh | s@by_words .= (int32_t)(2 . specials.before);@by_words |= 0;@ | device_specials_scan
special_published | src/gpu/kernels/scan_waves/wave_board_exact.cuh | s@if (amount.by_words) special .= (uint32_t)amount.low;@@ | device_specials_scan
special_kinds     | src/gpu/kernels/scan_waves/wave_far_results.cuh | s@(own . ~special) == 0@1@ | device_specials_scan
special_first     | src/gpu/kernels/scan_waves/wave_specials.cuh | s@(first . ~open : 0)@0@ | device_specials_scan
special_failed    | src/gpu/kernels/scan_waves/wave_far_results.cuh | 0,/IS_NARROW && left/s@if (IS_NARROW && left->failure) .*@@ | device_specials_scan
giants_value      | src/gpu/kernels/scan_waves/wave_giants.cuh | s@memcpy(.giants->value\[at\], .memory\[at\], sizeof .memory);@@ | device_giants
giants_total      | src/gpu/kernels/scan_waves/wave_giants.cuh | s@pair_from(upto, 31)@pair_from(upto, 30)@ | device_giants
giants_before     | src/gpu/kernels/scan_waves/wave_giants.cuh | s@giants->before = pair_up(upto, 1);@giants->before = upto;@ | device_giants
giants_reach      | src/gpu/kernels/scan_waves/wave_giants.cuh | s@if (reach >= distance) lost@lost@ | device_giants
giants_lost       | src/gpu/kernels/scan_waves/wave_giants.cuh | s@return pair_add(a, b.low) . lost;@pair_add(a, b.low); return 0;@ | device_giants
giants_floor      | src/gpu/kernels/scan_waves/wave_giants.cuh | s@giants.signs == 3 . giants.unit : giants.floor@giants.floor@ | device_giants
giants_apart      | src/gpu/kernels/scan_waves/wave_giants.cuh | s@return others < below ..@return@ | device_giants
giants_middle     | src/gpu/kernels/scan_waves/wave_giants_results.cuh | s@others . sum.low > 0 . over_middle(sum) : sum.high@sum.high@ | device_giants
giants_others     | src/gpu/kernels/scan_waves/wave_giants_results.cuh | s@is_none . r->none : is_less@is_less@ | device_giants
giants_back       | src/gpu/kernels/scan_waves/wave_giants_results.cuh | s@if (position.by_words . HAD_GIANTS) giants_put_back(.*@@ | device_giants
giants_exclusive  | src/gpu/kernels/scan_waves/wave_giants_results.cuh | s@add_giants(.before, result)@add_giants(\&rounded, result)@ | device_giants
giants_inside     | src/gpu/kernels/scan_waves/scan_rows.cu | s@if (!is_inside) which .= ~CARRIES_GIANTS;@@ | device_giants
blocks_lead       | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@(backward ? ELEMENT_SIZE : 0)@0@ | device_blocks
blocks_settle     | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@__syncwarp(); /\* all have read \*/@@ | device_blocks
blocks_backward   | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@IN_BACKWARD ? RUN_VECTORS - 1 - i : i@i@ | device_blocks
blocks_low        | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@(OUT_BACKWARD ? GROUP_ELEMENTS - share : 0)@0@ | device_blocks
blocks_edges      | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@i += GROUP_ELEMENTS - PER_VECTOR;@i += GROUP_ELEMENTS;@ | device_blocks
blocks_last_edge  | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@if (last < high) store_alone@if (0) store_alone@ | device_blocks
blocks_first_edge | src/gpu/kernels/scan_blocks/blocks_runs.cuh | s@else if (16 \* i + 16 > from@else if (16 * i >= from@ | device_blocks
blocks_joined     | src/gpu/kernels/scan_blocks/blocks_turned.cuh | s@at \& 4 \&\& ELEMENT_SIZE < 8@0@ | device_blocks
blocks_turned     | src/gpu/kernels/scan_blocks/blocks_turned.cuh | s@word >> 16 . word << 16@word@ | device_blocks
finish_surely     | src/gpu/kernels/common/finish_powers.cuh | s@return rounds_surely(v, 0) ? @return 1 ? @ | device_powers
finish_reach      | src/gpu/kernels/common/finish_powers.cuh | s@0x1p-22f, 0x1p-20f);@0, 0);@ | device_powers
finish_finite     | src/gpu/kernels/common/finish_powers.cuh | s@is_finite((float)total.part.0.) ? near_bits(total) : sure_bits(total)@near_bits(total)@ | device_powers
finish_doublings  | src/gpu/kernels/common/finish_powers.cuh | s@float_bits(p \* 0.70710678f), doublings@float_bits(p), doublings@ | device_powers
blocks_groups     | src/gpu/kernels/scan_blocks/blocks_by_steps.cuh | s@if (g < ((int32_t@if (g <= ((int32_t@ | device_blocks
lanes_exponent    | src/gpu/kernels/common/powers_sum.cuh | s@a->exponent = takes ? b.exponent : a->exponent;@@ | device_scan_powers device_lanes
lanes_bytes       | src/gpu/kernels/reduce_tree/ordered_lane.cuh | s@scaled(a.sum, POWER_INTEGER - .*@a.sum;@ | device_lanes
column_top        | src/gpu/kernels/scan_columns/column_powers.cuh | s@if (upto.largest != column->top.value).*@@ | device_ordered device_scan_powers
sums_unsure       | src/gpu/kernels/common/near_results.cuh | s@if (least != narrowed(rounded + reach)) .*@@ | device_scan_powers
sums_scale        | src/gpu/kernels/common/powers_sum.cuh | s@FUSED(grows ? a->sum : b.sum, scale,@FUSED(grows ? a->sum : b.sum, 1,@ | device_scan_powers
sums_held         | src/gpu/kernels/scan_tree/ordered_sums_near.cuh | s@none \&= .*@@ | device_scan_powers
sums_lowest       | src/gpu/kernels/scan_tree/ordered_sums_near.cuh | s@left.exponent - local->last.exponent >= LEFT_LOWEST@1@ | device_scan_powers
sums_size         | src/gpu/kernels/scan_tree/ordered_sums_near.cuh | s@return size < size_of(524288);@return 1;@ | device_scan_powers
sums_grow         | src/gpu/kernels/scan_tree/ordered_sums_powers.cuh | s@grows = __any_sync(FULL_WARP, grows);@grows = 0;@ | device_scan_powers
sums_moved        | src/gpu/kernels/scan_tree/ordered_sums_powers.cuh | s@return present << 1;@return present;@ | device_scan_powers
chain_warps       | src/gpu/kernels/scan_tree/ordered_chain_powers.cuh | s@if (w < warp) before = .*@@ | device_scan_powers
blocks_share      | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@sum += g < lane ?@sum += g <= lane ?@ | device_blocks
blocks_together   | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@ || exponent - most >= -BELOW)@ || 1)@ | device_blocks
blocks_powers     | src/gpu/kernels/scan_blocks/blocks_powers.cuh | s@own > before ? scale : 1,@scale,@      | device_blocks
blocks_turn       | src/gpu/kernels/scan_blocks/blocks_chain.cuh | s@return (uint32_t)(number / PLACES) + 1;@return 1;@ | device_blocks
blocks_sure       | src/gpu/kernels/scan_blocks/blocks_results_narrow.cuh | s@unsure .= (uint32_t)((differs .*@@ | device_blocks
blocks_least      | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@return is_within(most, shift, LEAST, MOST) \&\& is_within(least, shift, LEAST, MOST);@return is_within(most, shift, LEAST, MOST);@ | device_blocks
blocks_settled    | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@largest <= learnt->left \&\&@@ | device_blocks
blocks_gaps       | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@sum += some ? power : 0;@sum += power;@ | device_blocks
blocks_below      | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@(most > -(power_real)INFINITY \&\& apart < -BELOW)@0@ | device_blocks
blocks_far        | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@} else if (!(apart <= FAR)) {@} else if (apart <= FAR) {@ | device_blocks
blocks_halvings   | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@halvings = more < HALVINGS ? more : HALVINGS;@halvings = more;@ | device_blocks
blocks_grows      | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@base.grows = !(group.largest <= most@base.grows = !(1@ | device_blocks
blocks_largest    | src/gpu/kernels/scan_blocks/blocks_by_powers.cuh | s@if (base.grows) base.largest = .*@@ | device_blocks
blocks_offset     | src/gpu/kernels/scan_blocks/blocks_logarithms.cuh | s@__fma_rn((double)exponent, -LN2, (double)largest) -@0 *@ | device_blocks
blocks_little     | src/gpu/kernels/scan_blocks/blocks_results_f32.cuh | s@last - first <= LITTLE \* first@1@ | device_blocks
blocks_crossing   | src/gpu/kernels/scan_blocks/blocks_results_f32.cuh | s@return eighths > 0 ? unsure : 0xffff;@return unsure;@ | device_blocks
blocks_zero       | src/gpu/kernels/common/near_results.cuh | s@least >= 0x1p-14f ? (uint32_t)(places \* 8) + 64 : 0@64@ | device_blocks
blocks_of         | src/gpu/kernels/scan_blocks/blocks_results_f64.cuh | s@if (m != of) {@if (of != of) {@ | device_blocks
blocks_before     | src/gpu/kernels/scan_blocks/blocks_results_narrow.cuh | s@most = v > largest ? v + 0 : largest;@most = largest;@ | device_blocks
blocks_all        | src/gpu/kernels/scan_blocks/blocks_results_narrow.cuh | s@return low == high \&\& is_in_range@return is_in_range@ | device_blocks
blocks_come       | src/gpu/kernels/scan_blocks/blocks_powers.cuh | s@ \&\& (~come . ((2u << lane) - 1)) == 0)@)@ | device_blocks
blocks_upto       | src/gpu/kernels/scan_blocks/blocks_powers.cuh | s@upto = larger_or_nan(upto, before);@@ | device_blocks
blocks_later      | src/gpu/kernels/scan_blocks/scan_blocks.cu | s@oldest_slot = LATER == 0 ? after : .*@oldest_slot = after;@ | device_blocks
group_apart       | src/cpu/power_group_tmpl.h | s@apart.r. = shifted >= least .*@@ | scan_scheme device_blocks
group_left        | src/cpu/power_group_tmpl.h | s@apart >= -POWER_LEFT_BELOW@1@ | scan_scheme device_blocks
group_scale       | src/cpu/power_group_tmpl.h | s@near->exponent = guess + more;@@ | scan_scheme device_blocks
blocks_range      | src/gpu/kernels/scan_blocks/blocks_results_narrow.cuh | s@return first >= 0x1p-126f .*@return 1;@ | device_blocks
walk_powers       | src/gpu/scan_plan_walk.c | s@(powers ? POWER_WALKERS : APART_WALKERS)@APART_WALKERS@ | inside_scan_columns
puts_together     | src/gpu/scan_plan_rows.c | s@turned .. size == 2;@turned;@ | inside_scan_plan
lies_well         | src/gpu/scan_arrange.c   | s@size != 2 || a->whole_words@a->whole_words@ | inside_scan_arrange
rows_carry        | src/gpu/kernels/scan_waves/wave_words_results.cuh | s@amount_sum(.left->sum, more);@left->sum;@ | device_rows
rows_reach        | src/gpu/kernels/scan_waves/scan_rows.cu | s@else starts.reach = lane - .*;@else starts.reach = lane;@ | device_rows
rows_edge         | src/gpu/kernels/scan_waves/rows_tile.cuh | s@: k + bulk@: k@                                  | device_rows
rows_sum          | src/gpu/kernels/scan_waves/wave_exact.cuh | s@return SEGMENTED .. i < starts->last;@return 0;@ | device_rows
rows_unit         | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@if (begins_rows .. BEGINS_ROW(starts, i)) r->known = .*@@ | device_rows
rows_vectors      | src/gpu/kernels/scan_waves/scan_rows.cu | s@starts.vectors = warp_union.*@starts.vectors = 0;@ | device_rows
rows_vector_sum   | src/gpu/kernels/scan_waves/wave_run_floats.cuh | s@if (BY_VECTORS .. begins_rows.*@@ | device_rows
rows_exact_top    | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@unit > -1000 .. top < unit + 53@unit > -1000@ | device_rows
amount_short      | src/gpu/kernels/scan_waves/wave_amount.cuh | s@word.0. <<= shift;@@ | device_rows
amount_words      | src/gpu/kernels/scan_waves/wave_amount.cuh | s@i > 0; i--) word.i. = __funnel@i > 2; i--) word[i] = __funnel@ | device_rows
columns_base      | src/gpu/kernels/scan_columns/columns_wave.cuh | s@if (RUNS > 1) total_append(.left.*@@            | device_columns
columns_part      | src/gpu/kernels/scan_columns/columns_wave.cuh | s@total_append(.left, .room_of_block()->parts.*@@ | device_columns
columns_single    | src/gpu/kernels/scan_columns/column_rows.cuh | s@top - bottom > 52 - NARROW_BITS@0@              | device_columns
columns_paired    | src/gpu/kernels/scan_columns/column_rows.cuh | s@return lost << 1 != 0;@return lost << 63 != 0;@ | device_columns
columns_middle    | src/gpu/kernels/scan_columns/column_rows.cuh | s@(RESULT_PART < 8 .. is_middle(rounded))@0@      | device_columns
columns_trail     | src/gpu/kernels/scan_columns/column_steps.cuh | s@trail->least = 0;@@                            | device_columns
columns_bins      | src/gpu/kernels/scan_columns/column_bins.cuh | s@bins->small += number_plus(.*@@                 | device_columns
columns_bins_fit  | src/gpu/kernels/scan_columns/column_bins.cuh | s@ - unit <= 53@ <= 53@                           | device_columns
columns_bins_unit | src/gpu/kernels/scan_columns/column_bins.cuh | s@span->unit = unit < .*@@                        | device_columns
columns_bins_top  | src/gpu/kernels/scan_columns/column_bins.cuh | s@span->top = top > .*@@                          | device_columns
columns_bins_low  | src/gpu/kernels/scan_columns/column_bins.cuh | s@(bins.large - offset)) + sum->low;@(bins.large - offset));@ | device_columns
columns_sight     | src/gpu/kernels/scan_columns/columns_exchange.cuh | s@goes_on & (flag != NOTHING_YET), .seen@sight.complete, \&seen@ | device_columns
columns_lost      | src/gpu/kernels/scan_columns/column_total_exact.cuh | s@(g->lost << 1 != 0) . !total_fits@!total_fits@ | device_columns
columns_range     | src/gpu/kernels/scan_columns/column_total_rows.cuh | s@int failed = watch_failed.*;@int failed = 0;@ | device_columns
columns_narrow    | src/gpu/kernels/scan_columns/column_total_rows.cuh | s@if (!sizes_failed(.sizes)) return;@return;@ | device_columns
columns_turn      | src/gpu/kernels/scan_columns/columns_chunk.cuh | s@return t->step + t->row;@return t->step;@        | device_columns
columns_put_back  | src/gpu/kernels/scan_columns/column_rest.cuh | s@if (IN_PLACE) put_back.*@@                       | device_columns
columns_tie_back  | src/gpu/kernels/scan_columns/column_run_results.cuh | s@if (IN_PLACE) put_back.*@@                | device_columns
columns_tie       | src/gpu/kernels/scan_columns/column_run_results.cuh | s@middle .= RESULT_PART < 8 .*@@            | device_columns
columns_run_fits  | src/gpu/kernels/scan_columns/column_run_results.cuh | s@(!apart \&\& span_fits(.span)) @!apart @  | device_columns
columns_run_one   | src/gpu/kernels/scan_columns/column_runs.cuh | s@span->top + 1 - span->unit <= 53@1@              | device_columns
columns_run_top   | src/gpu/kernels/scan_columns/column_runs.cuh | s@span.top <= learnt->top \&\& @@                  | device_columns
columns_run_unit  | src/gpu/kernels/scan_columns/column_runs.cuh | s@ \&\& unit_fits(learnt->top, span.unit);@;@      | device_columns
columns_tiny      | src/gpu/kernels/scan_columns/column_rows.cuh | s@return sizes->tiny ? 0 : sizes->least;@return sizes->least;@ | device_doubles
columns_run_pairs | src/gpu/kernels/scan_columns/column_runs.cuh | s@!watch_failed(.watch, RUN);@1;@                 | device_columns
columns_appended  | src/gpu/kernels/scan_columns/column_total_exact.cuh | s@double_bits(error) . double_bits(a->sum.low)@double_bits(a->sum.low)@ | device_columns
wide_ends         | src/gpu/kernels/scan/scan_wide.cu | s@end < given->reduce.length ? end : given->reduce.length@end@ | device_doubles
wide_clear        | src/gpu/kernels/scan/scan_wide.cu | s@running_clear(&running.s.);@@              | device_doubles
wide_before       | src/gpu/kernels/scan/scan_wide.cu | s@if (!given->totals .. before.end > 0) add_elements.*@@ | device_doubles
wide_special      | src/gpu/kernels/scan/scan_wide.cu | s@first.i..special.s. = special;@@           | device_doubles
wide_tickets      | src/gpu/kernels/scan/scan_wide.cu | s@given.reduce.tickets.i. = 0;@@                | device_doubles
wide_chain        | src/gpu/kernels/scan/scan_wide.cu | s@sum += total;@sum = total;@                | device_doubles
running_carry     | src/gpu/kernels/scan/running_digits.cuh | s@ + (int64_t)(sum >> 63);@;@           | device_doubles
running_unit      | src/gpu/kernels/scan/running_digits.cuh | s@if (below) bits -= .*@@               | device_doubles
running_filled       | src/gpu/kernels/scan/running_digits.cuh | s@r->filled . bit : r->filled . ~bit@r->filled \| bit@ | device_doubles
running_halves       | src/gpu/kernels/scan/running_digits.cuh | s@(carry >> 63) + (int64_t)(all < sum)@(carry >> 63)@ | device_doubles
scaled_twice      | src/gpu/kernels/reduce/scaled_spread.cuh | s@2 \* exponent : exponent@exponent : exponent@ | device_spread
scaled_left       | src/gpu/kernels/reduce/reduce_wide.cu | s@k < count .. !scaled_spread(.*@scaled_spread(p, all ? k : p->wide_cells[k]) > 1;@ | device_spread
scaled_subnormal  | src/gpu/kernels/reduce/scaled_spread.cuh | s@low > 0x1p-1022 .. @@                | device_spread
scaled_smallest   | src/gpu/kernels/reduce/scaled_spread.cuh | s@low > 0x1p-1022@low >= 0x1p-1022@              | device_spread
tiles_lead        | src/gpu/kernels/scan_columns/columns_tiles.cuh | s@return (int32_t)((uintptr_t)memory & 15);@return 0;@ | device_middle
tiles_left        | src/gpu/kernels/scan_columns/tiles_carried.cuh | s@if (seat->run > 0) total_append(.above, .left);@@ | device_middle
tiles_carried     | src/gpu/kernels/scan_columns/tiles_carried.cuh | s@t->begins ? above->first : above->carried.at.@above->first@ | device_middle
tiles_begins      | src/gpu/kernels/scan_columns/tiles_carried.cuh | s@t->begins ? above->first : above->carried@above->carried@ | device_middle
tiles_words       | src/gpu/kernels/scan_columns/tiles_carried.cuh | s@words->state.k. = next;@@                      | device_middle
tiles_words_left  | src/gpu/kernels/scan_columns/tiles_carried.cuh | s@if (seat.run > 0) state_append(.above, .left);@@ | device_middle
tiles_backward    | src/gpu/kernels/scan_columns/columns_tiles.cuh | s@BACKWARD ? 1 - c->row - rows@BACKWARD ? 1 - rows@ | device_middle
tiles_edge        | src/gpu/kernels/scan_columns/columns_tiles.cuh | s@if (at >= lead) copy_unit@copy_unit@             | device_middle
tiles_lowest      | src/gpu/kernels/scan_columns/columns_tiles.cuh | s@i < end - whole@i < 0@                           | device_middle
tiles_present     | src/gpu/kernels/scan_columns/columns_tiles.cuh | s@int32_t count = batch_of(present - i);@int32_t count = DEPTH;@ | device_middle
tiles_put_back    | src/gpu/kernels/scan_columns/columns_tiles.cuh | s@if (IN_PLACE) put_back.*@@                       | device_middle
truth_of_bytes    | src/gpu/kernels/scan_columns/scan_method_packed.cuh | s@((word . 0x7f7f7f7fu) + 0x7f7f7f7fu) . word@word@ | device_middle
columns_rest      | src/gpu/kernels/scan_columns/column_rest.cuh | s@if (near_store(.*) return 0;@near_store(EXCLUSIVE ? \&above : \&near, results + i * RESULT_SIZE);@ | device_columns
columns_runs      | src/gpu/kernels/scan_columns/columns_words.cuh | s@state_append(&words, &above);@@                 | device_columns
columns_left      | src/gpu/kernels/scan_columns/columns_words.cuh | s@if (seat.run == RUNS - 1) leave_words.*@@       | device_columns
columns_lead      | src/gpu/kernels/scan_columns/columns_chunk.cuh | s@return lead_out(c) +@return@                    | device_skew
columns_ends      | src/gpu/kernels/scan_columns/columns_skew.cuh | s@at.i. + 16 > s->present@at[i] + 16 > s->present + UNIT_OUT@ | device_skew
columns_edges     | src/gpu/kernels/scan_columns/columns_skew.cuh | s@at.i. >= s->present@at[i] >= s->present + UNIT_OUT@ | device_skew
columns_below     | src/gpu/kernels/scan_columns/columns_skew.cuh | s@return at >= ROW_IN . -1 :@return@                | device_skew
columns_phases    | src/gpu/kernels/scan_columns/columns_skew.cuh | s@s->lead + (row + i . step) . IN_PITCH@s->lead + row * IN_PITCH@ | device_skew
columns_ahead     | src/gpu/kernels/scan_columns/columns_walk.cuh | s@load_rows(ahead, x + DEPTH . pitch@load_rows(ahead, x@ | device_columns
range_backwards   | src/gpu/scan_launch.c | s@if (stride < 0) .low += .*;@@                        | host_arrays
range_gaps        | src/gpu/scan_launch.c | s@loop->extent > 1 \&\& size != filled@0@               | host_arrays
columns_blocks    | src/gpu/scan_plan_walk.c | s@: threads, plan->threads)@: threads, WALK_THREADS)@      | device_columns
columns_alike     | src/gpu/scan_plan_columns.c | s@return apart % VECTOR_BYTES == 0;@return 1;@         | device_skew
columns_tiles     | src/gpu/scan_plan_columns.c | s@| (inner > width ? width . size : 0)@@                  | device_skew
columns_overlap   | src/gpu/kernels/scan_columns/columns_stage.cuh | s@OWN_COLUMNS = 33@OWN_COLUMNS = 34@             | device_columns
columns_in_place  | src/gpu/recall.c | s@facts.in_place = .*;@@                                          | device_columns
columns_link      | src/gpu/kernels/scan_columns/column_total_exact.cuh | s@kind \& (IN_PAIR . IN_WORDS) ? NO_LINK :@@  | device_columns
columns_link_lost | src/gpu/kernels/scan_columns/column_total_exact.cuh | s@^    .lost .= double_bits(error);@@       | device_columns
columns_link_fold | src/gpu/kernels/scan_columns/column_fold.cuh | s@total_append(&a->total, &b->total);@@            | device_columns
truth_least       | src/gpu/kernels/scan_columns/scan_method_packed.cuh | s@(TRUTH_OF_BYTES \&\& defined(PICK_VALUE_MINIMUM))@0@ | device_middle
packed_even       | src/gpu/kernels/scan_columns/scan_method_packed.cuh | s@{word << 8, word}@{word \& 0xff00ff00u, word}@ | device_bytes
packed_order      | src/gpu/kernels/scan_columns/scan_method_packed.cuh | s@0x7351@0x7531@                          | device_bytes
packed_sign       | src/gpu/kernels/common/pairs_of_bytes.cuh | s@define BETTER_OF_16 min_s16x2@define BETTER_OF_16 min_u16x2@ | device_bytes
packed_first      | src/gpu/kernels/scan_columns/scan_method_packed.cuh | s@first_result(given, cell + k)@first_result(given, cell)@ | device_bytes
halves_zero       | src/gpu/kernels/common/pairs_of_halves.cuh | s@HALVES_NAME(plus_zero)(pair), NAN@pair, NAN@ | device_halves
halves_nan        | src/gpu/kernels/common/pairs_of_halves.cuh | s@min_s16x2(HALVES_NAME(plus_zero)(pair), NAN_HALVES)@HALVES_NAME(plus_zero)(pair)@ | device_halves
halves_worst      | src/gpu/kernels/common/pairs_of_halves.cuh | s@define LEAST_HALVES (INFINITE_HALVES . 0x80008000u)@define LEAST_HALVES 0x80008000u@ | device_halves
packed_cell       | src/gpu/kernels/scan_columns/columns_exchange.cuh | s@state_first(given, c->cell + place.column \* PACK)@state_first(given, cell)@ | device_bytes
rows_near         | src/gpu/kernels/scan/near.cuh | s@near->error = kind == 2 ? 0 : .*;@near->error = 0;@      | device_rows
number_special    | src/gpu/kernels/common/number.cuh | s@return halves_most(h) >= HALF_INFINITY;@return 0;@   | device_columns
number_kept       | src/gpu/kernels/common/number.cuh | s@0x81fffc00u@0x81fff800u@                             | device_columns
number_least      | src/gpu/kernels/common/number.cuh | s@h->least = min_s16x2.*@@                               | device_columns
rows_begun        | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@starts->inside & ((unknown.*;@starts->inside;@ | device_rows
rows_unknown      | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@<< (SEGMENTED ? i : 0)@<< 0@             | device_rows
left_lowest_bit   | src/gpu/kernels/scan_waves/wave_exact_results.cuh | s@left.unit += zeros;@left.unit += zeros + 12;@ | device_rows
spread_rest       | src/gpu/kernels/reduce/quick_spread.cuh | s@q->part.LOW. = fma(2 \* d, rest, q->part.LOW.);@@ | device_spread
special_both      | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@a->special .= b->special;@@                   | device_specials
special_infinite  | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@high = finite ? high : a->sum.high;@@           | device_specials
special_sign      | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@special == EXACT_PLUS_INFINITY  *? (double)@special == EXACT_PLUS_INFINITY ? -(double)@ | device_specials
special_squares   | src/gpu/kernels/reduce_short/short_specials.cuh | s@s.sum.SUMS - 1..special = size;@s.sum[SUMS - 1].special = specials.seen;@ | device_specials
special_result    | src/gpu/kernels/reduce_short/short_exact.cuh | s@total != total ? nan_result() : @@             | device_specials
multiplied_ends   | src/gpu/kernels/reduce_strips/strip_ends.cuh | s@^        v.d. = nothing_or(&v.d.);@@            | device_multiplied
multiplied_bundle | src/gpu/kernels/reduce_strips/strip_nest.cuh | s@!ZERO_IS_NOTHING) v.d. = nothing_or(&v.0.)@!ZERO_IS_NOTHING) v[d] = v[0]@ | device_multiplied
multiplied_rows   | src/gpu/kernels/reduce_strips/strip_nest.cuh | s@if ((ZERO_IS_NOTHING .. ONE_IS_NOTHING) \&\& d >= count)@if (ZERO_IS_NOTHING \&\& d >= count)@ | device_multiplied
multiplied_stage  | src/gpu/kernels/reduce_strips/strip_fetched.cuh | s@v.d. = nothing_or(&v.0.);@v[d] = v[0];@    | device_multiplied
multiplied_runs   | src/gpu/kernels/reduce/vector_part.cuh | s@return nothing_or(&v);@return v;@            | device_multiplied
initial_far       | src/gpu/kernels/reduce/short_total.cuh | s@if (total.rest != 0) return near_store.*@(void)near;@ | device_initial
initial_near      | src/gpu/kernels/reduce/short_total.cuh | s@^    near_add(&total, initial.*@@             | device_initial
initial_short     | src/gpu/kernels/reduce_short/short_exact.cuh | s@elif HAS_INITIAL$@elif 0@                     | device_initial
initial_special   | src/gpu/kernels/reduce/short_total.cuh | s@if (is_finite(initial) .. !is_finite(sum))@if (is_finite(initial))@ | device_initial
special_plus      | src/gpu/kernels/scan_columns/column_specials.cuh | s@specials->plus.i. .= .*@@                        | device_nan_columns
special_above     | src/gpu/kernels/scan_columns/column_specials.cuh | s@specials_add(&specials, k, .*@@                  | device_nan_columns
special_rows      | src/gpu/kernels/scan_columns/column_specials.cuh | s@i < rows.k..nan ? infinity :@@                   | device_nan_columns
special_totals    | src/gpu/kernels/scan_columns/column_total_exact.cuh | s@total.sum.high = is_lost ? g->sum.high : high;@total.sum.high = high;@ | device_nan_columns
columns_stray     | src/gpu/kernels/scan_columns/column_exact.cuh | s@if (lost .. strays->mask >> k . 1)@if (strays->mask >> k \& 1)@ | device_columns
strip_end         | src/gpu/kernels/reduce_strips/strip_ends.cuh | s@w->units - 1 ? w->tail@w->units ? w->tail@ | device_long
complex_axis      | src/gpu/complex_parts.c         | s@double_strides(&parts->axis, 1, 1);@@                     | device_complex
complex_absent    | src/gpu/complex_parts.c         | s@!(calculation->flags & TALLY_SKIP_NAN) && @@                | device_complex
complex_norm      | src/gpu/complex_parts.c         | s@double_strides(parts->kept, parts->kept_count, is_sum)@double_strides(parts->kept, parts->kept_count, 1)@ | device_complex
ordered_group     | src/gpu/kernels/scan_columns/column_steps_ordered.cuh | s@int group_ends = @int group_ends = 0 \& @            | device_ordered
ordered_block     | src/gpu/kernels/scan_columns/column_steps_ordered.cuh | s@block_ends = run + 1 == BLOCK_RUNS@block_ends = 0@    | device_ordered
ordered_distance  | src/gpu/kernels/scan_columns/column_steps_ordered.cuh | s@if (run % GROUP_RUNS < distance) continue;@if (run < distance) continue;@ | device_ordered
ordered_go_on     | src/gpu/kernels/scan_columns/columns_walk.cuh   | s@columns_go_on(given, split, cell, columns);@@         | device_ordered
ordered_leave     | src/gpu/kernels/scan_columns/column_ordered.cuh | s@^    end_runs(columns, trail);@@                     | device_ordered
tree_identity     | src/gpu/kernels/reduce_tree/tree_rows_steps.cuh | s@IDENTITY_SHOWS \&\& half >= LANES_OF_ROW@0@ | device_tree_rows
tree_absent       | src/gpu/kernels/reduce_tree/tree_rows_steps.cuh | s@a.absent += b.absent;@;@                       | device_tree_rows
tree_sides        | src/gpu/kernels/reduce_tree/reduce_ordered_rows.cu | s@total_join(total_of_two(upper, other, mine), total_of_two(upper, mine, other))@total_join(mine, other)@ | device_tree_rows
tree_bit          | src/gpu/kernels/reduce_tree/reduce_ordered_rows.cu | s@distance . EACH / TEAM;@distance;@          | device_tree_rows
tree_ahead        | src/gpu/kernels/reduce_tree/tree_rows_load.cuh | s@(uint32_t)(i - row->ahead) <@(uint32_t)i <@     | device_tree_rows
tree_turned       | src/gpu/kernels/reduce_tree/reduce_ordered_rows.cu | s@if (ONE_STEP || TURNED) {@if (ONE_STEP) {@  | device_tree_rows
tree_end          | src/gpu/kernels/reduce_tree/reduce_ordered_rows.cu | s@length + (TURNED ? PACK - 1 : 0)@length@    | device_tree_rows
tree_moments      | src/gpu/reduce_plan_ordered_rows.c | s@calculation->op->lift == LIFT_MOMENTS || @@     | device_tree_rows
tree_fits         | src/gpu/kernels/reduce_tree/tree_rows_powers.cuh | s@fits ? total.lane.0. : (power_real)NAN@total.lane[0]@ | device_tree_rows
tree_initial      | src/gpu/kernels/reduce_tree/tree_rows_powers.cuh | s@ \&\& !p->has_initial;@;@                     | device_tree_rows
tree_above        | src/gpu/kernels/reduce_tree/tree_rows_powers.cuh | s@ \* scaled(1, POWER_INTEGER - above)@@          | device_tree_rows
tree_steps        | src/gpu/kernels/reduce_tree/tree_rows_powers.cuh | s@one.cell.x += one.ahead . ELEMENT_SIZE;@@      | device_tree_rows
tree_filled       | src/gpu/kernels/reduce_tree/tree_rows_load.cuh | s@is_in_row(p, row, i + q) ? pack.stored.q. : row->first@pack.stored[q]@ | device_tree_rows
tree_batches      | src/gpu/kernels/reduce_tree/reduce_ordered_rows.cu | s@b.member % SHARERS == i;@b.member % SHARERS == 0;@ | device_tree_rows
tree_near         | src/gpu/kernels/reduce_tree/tree_rows_powers.cuh | s@lanes->fits = is_near_guess(lanes->shift);@lanes->fits = 1;@ | device_tree_rows
both_phases       | src/gpu/kernels/reduce_strips/strip_both.cuh | s@int shift = PHASES > 1 .*;@int shift = 0;@          | device_minmax
both_least        | src/gpu/kernels/reduce_strips/strip_both.cuh | s@LEAST_OF_PAIRS(strip->least@MOST_OF_PAIRS(strip->least@ | device_minmax
both_merged       | src/gpu/kernels/reduce_strips/strip_both.cuh | s@SECOND_STEP(wide_combine)(.a->most, b->most);@@     | device_minmax
both_never        | src/gpu/kernels/reduce/pairs_of_both.cuh | s@NEVER_MOST 0x80808080u@NEVER_MOST 0u@            | device_minmax
both_stored       | src/gpu/kernels/reduce_short/reduce_short.cu | s@store_one(out + i, result + i)@store_one(out + i, result)@ | device_minmax
both_halves       | src/gpu/kernels/reduce_short/short_both.cuh | s@16 . half + 16 - 8 . ELEMENT_BYTES@16 * half@       | device_minmax
both_apart        | src/gpu/reduce_plan_short.c    | s@reduction->step == 1 \&\& strides % 2 == 0@1@      | device_minmax
both_odd          | src/gpu/kernels/reduce/method_fold.cuh | s@least.1. = LEAST_OF_PAIRS(least.1., word), @@       | device_minmax
truth_counted     | src/gpu/kernels/scan_waves/wave_pairs.cuh     | s@return RUNS_OF_TRUTH ? .*@return word;@             | device_truth
walked_cross     | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@CROSSES \&\& lane >= 32 - distance@0@          | device_ordered_rows
walked_level     | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@if (run < 1 << level) continue;@if (run <= 1 << level) continue;@ | device_ordered_rows
walked_end       | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@lane > end ? behind.both@lane >= end ? behind.both@ | device_ordered_rows
walked_block     | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@group % BLOCK_GROUPS == BLOCK_GROUPS - 1@group % BLOCK_GROUPS == BLOCK_GROUPS@ | device_ordered_rows
walked_new_row   | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@lane >= s->runs - own ? .first@lane > s->runs - own ? *first@ | device_ordered_rows
walked_team      | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@if (i == warp \&\& groups.some)@if (i + 1 == warp \&\& groups.some)@ | device_ordered_rows
walked_turn      | src/gpu/kernels/scan_tree/scan_ordered_rows.cu | s@standing_append(.carried->blocks, groups.value);@(void)groups;@ | device_ordered_rows
walked_nan       | src/gpu/kernels/scan_tree/ordered_rows_steps.cuh | s@ || FOLD(parts) == 1)@ || 1)@                 | device_ordered_rows
walked_mend      | src/gpu/kernels/scan_tree/ordered_rows_steps.cuh | s@if (some) mend_nans.*@@                        | device_ordered_rows
walked_together  | src/gpu/kernels/scan_tree/ordered_rows_steps.cuh | s@TOGETHER ? i % LENGTH == 0 : i == 0@i == 0@    | device_ordered_rows
walked_last      | src/gpu/kernels/scan_tree/ordered_rows_lanes.cuh | s@span.last -= .*@;@                             | device_ordered_rows
walked_half      | src/gpu/kernels/scan_tree/ordered_rows_linear.cuh | s@low)\[at / 4 \* 2 + 1\]@low)[at / 4 * 2]@     | device_ordered_rows
walked_early     | src/gpu/kernels/scan_tree/ordered_rows_linear.cuh | s@ends_early = !TOGETHER \&\& count < RUN;@ends_early = 0;@ | device_ordered_rows
walked_edges     | src/gpu/kernels/scan_tree/ordered_rows_linear.cuh | s@if (OUT_SHIFTS || TOGETHER) store_edges.*@@    | device_ordered_rows
walked_units     | src/gpu/kernels/scan_tree/ordered_rows_units.cuh | s@backward ? RUN - count : 0@0@                  | device_ordered_rows
walked_anywhere  | src/gpu/scan_plan_ordered_rows.c   | s@if (rows->backward) edges += .*@@                   | device_ordered_rows
walked_groups    | src/gpu/kernels/scan_tree/ordered_chain_groups.cuh | s@< BLOCK_GROUPS - 1) continue@< BLOCK_GROUPS - 2) continue@ | device_ordered_rows
walked_room      | src/gpu/scan_plan_walk.c           | s@if (calculation->combine == COMBINE_MULTIPLY_REAL) is_narrow = 0;@@ | device_ordered_rows
ordered_splits    | src/gpu/scan_plan_walk.c           | s@divide_up(rows, SCAN_BLOCK);@rows / SCAN_BLOCK;@       | device_ordered_rows
ordered_levels    | src/gpu/scan_plan_walk.c           | s@ORDERED_RUN << levels < rows@ORDERED_RUN << levels < rows / 2@ | device_ordered
dealt_first       | src/gpu/kernels/reduce_tree/reduce_ordered.cu  | s@a->share.group \* all + first@a->share.group * all@     | device_leaves
dealt_absent      | src/gpu/kernels/reduce_tree/reduce_ordered.cu  | s@.absent = root.absent;@.absent = 0;@                  | device_leaves
dealt_pitch       | src/gpu/kernels/reduce_tree/ordered_nodes.cuh  | s@nodes\[i \* pitch\]@nodes[i]@                         | device_leaves
dealt_apart       | src/gpu/reduce_plan_ordered.c      | s@d.apart = d.splits > 1 .*@d.apart = 0;@               | device_leaves
full_first        | src/gpu/kernels/reduce_tree/full_leaves.cuh    | s@a->share.group \* p->units + first@a->share.group * p->units@ | device_leaves
full_parts        | src/gpu/kernels/reduce_tree/full_leaves.cuh    | s@member == 0) counter_add(.parts, root);@member == 0 \&\& at == first) counter_add(\&parts, root);@ | device_leaves
full_next         | src/gpu/kernels/reduce_tree/full_leaves.cuh    | s@? walk.x + away : ALWAYS@? walk.x : ALWAYS@              | device_leaves
full_own          | src/gpu/kernels/reduce_tree/full_leaves.cuh    | s@ALWAYS_LOADS ? walk.x : 0@ALWAYS_LOADS ? (const char *)0 : 0@ | device_leaves
full_whole        | src/gpu/kernels/reduce_tree/full_leaves.cuh    | s@? p->length / TREE_LEAF - first : 0@? count : 0@        | device_leaves
full_again        | src/gpu/kernels/reduce_tree/full_powers.cuh    | s@if (attempt > 0) walk_again(walk);@@                   | device_powers
full_second       | src/gpu/kernels/reduce_tree/full_integer_powers.cuh | s@sums\[q\] += scaled@own[q] += 0 * scaled@         | device_powers
full_in_turn      | src/gpu/kernels/reduce_tree/full_integer_powers.cuh | s@sums\[q\] = add_in_turn@own[q] += 0 * add_in_turn@ | device_powers
full_far_lane     | src/gpu/kernels/reduce_tree/full_integer_powers.cuh | s@own\[q\] - exponent < -1000 ? 0 :@@                | device_powers
long_lanes        | src/gpu/kernels/common/lanes.cuh          | s@high == most ? @@; s@ : INT32_MIN);@);@                 | device_powers
full_signed       | src/gpu/kernels/reduce_tree/full_rows.cuh      | s@(uint32_t)(uint8_t)x@(uint32_t)x@                     | device_leaves
absent_spread     | src/gpu/kernels/reduce_strips/strip_spread.cuh   | s@int64_t n = p->length - ABSENT(.total);@int64_t n = p->length;@ | device_spread
apart_step        | src/gpu/kernels/scan_waves/wave_apart.cuh     | s@BACKWARD ? -(given)@BACKWARD ? (given)@                     | device_steps
walk_mask         | src/gpu/kernels/scan_columns/columns_walk.cuh   | s@masks\[d\] >> 8 \* k & 255@masks[d] >> 8 * k \& 1@         | device_steps
walk_mask_ahead   | src/gpu/kernels/scan_columns/columns_walk.cuh   | s@where += DEPTH \* mask_pitch;@where += (DEPTH - 1) * mask_pitch;@ | device_steps
walk_beside       | src/gpu/scan_plan_walk.c           | s@most < 1 .. !beside ? 1 : most@most < 1 ? 1 : most@          | device_steps
strip_range       | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@if (watch_failed(.watch, DEPTH \* SUMMED))@if (0)@ | device_tall
strip_lost        | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@total.off = strip->off.k.;@total.off = 0;@ | device_tall
near_cancelled    | src/gpu/kernels/reduce/short_total.cuh | s@^    near_normalize(.sum);@@; s@fabs(sum.rest) <= fabs@fabs(sum.rest) <= 1e300 + fabs@ | device_long
near_joined       | src/gpu/kernels/reduce_short/short_words.cuh | s@^ *failed = __shfl_sync.*@@                  | device_long
near_apart        | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@lost .= (strip->special.k.@lost \&= (strip->special[0]@ | device_specials
near_ends         | src/gpu/kernels/reduce/short_total.cuh | s@side ? sum.rest + reach : sum.rest - reach@side ? reach : -reach@ | device_long
near_finite       | src/gpu/kernels/reduce/short_total.cuh | s@ \&\& is_finite(reach);@;@                      | device_short
near_off          | src/gpu/kernels/common/quick_exact.cuh | s@0x1p-54)@0x1p-64)@                           | device_short
near_large        | src/gpu/kernels/common/quick_exact.cuh | s@return n > 4096 \&\& w->large;@return 0;@      | device_long
near_cell         | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@i += members@i += 2 * members@               | device_long
near_overflow     | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@words.special .= EXACT_FAILED@(void)0@       | device_tall
tall_alone        | src/gpu/kernels/reduce_strips/tall_words.cuh | s@place.split < (int32_t)p->splits@place.split < 1@ | device_tall
long_alone        | src/gpu/kernels/reduce_strips/long_merge.cuh | s@walk.step = TEAM;@walk.step = 2 * TEAM;@      | device_long
long_runs         | src/gpu/kernels/reduce_strips/long_merge.cuh | s@walk.run_step = TEAM / LANES@walk.run_step = 2 * TEAM / LANES@ | device_long
nest_stand_in     | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@if (!index_beats(total_value(total), load_element(w->x, 0))) return 0;@@ | device_nests
nest_part_apart   | src/gpu/kernels/reduce_strips/strip_index.cuh | s@(d) % (DEPTH / RUNS) \* LANES@(d) % (DEPTH / RUNS)@ | device_nests
nest_run          | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@int64_t before = run \* w->p->reduced.REDUCED_NEST - 1..extent@int64_t before = run * apart@ | device_nests
matrices_early    | src/gpu/kernels/reduce_short/short_matrices.cuh | s@if (early > 0) s.at@if (0) s.at@ | device_short_columns
matrices_wrap     | src/gpu/kernels/reduce_short/short_matrices.cuh | s@w->at += w->bytes_of_wrap;@@ | device_short_columns
matrices_member   | src/gpu/kernels/reduce_short/short_matrices.cuh | s@(ROW_STEP > 1 ? 1 : (int32_t)p->units)@(ROW_STEP > 1 ? 1 : 0)@ | device_short_columns
matrices_step     | src/gpu/kernels/reduce_short/short_matrices.cuh | s@b.step = ROW_STEP \* b.pitch;@b.step = b.pitch;@ | device_short_columns
matrices_place    | src/gpu/kernels/reduce_short/short_sides.cuh | s@(place + d \* ROW_STEP) \* IN_ROW@(place + d) * IN_ROW@ | device_short_columns
matrices_rows     | src/gpu/kernels/reduce_short/short_matrices.cuh | s@(left + ROW_STEP - 1) / ROW_STEP@left / ROW_STEP@ | device_short_columns
matrices_redo     | src/gpu/kernels/reduce_short/short_matrices.cuh | s@failed = __funnelshift_r(failed, failed, SIDE);@@ | device_short_columns
matrices_together | src/gpu/kernels/reduce_short/short_matrices.cuh | s@redo_cell(p, its_x, @redo_cell(p, x, @ | device_spread
matrices_begin    | src/gpu/kernels/reduce_short/short_matrices.cuh | s@begin > 0 ? begin : 0@0@ | device_short_columns
matrices_results  | src/gpu/kernels/reduce_short/short_matrices.cuh | s@WORD_OF_RESULTS HALVES_RESULT@WORD_OF_RESULTS(word) (word)@ | device_short_columns
matrices_truth    | src/gpu/kernels/reduce_short/short_matrices.cuh | s@ \&\& !defined(ONLY_TYPE_bool)@@ | device_short_columns
matrices_initial  | src/gpu/kernels/reduce_short/short_matrices.cuh | s@ \&\& !p->has_initial@@ | device_short_columns
tiles_whole       | src/gpu/kernels/scan_columns/tiles_whole.cuh | s@(BACKWARD ? rows - 1 : 0)@0@ | device_middle
tiles_whole_plan  | src/gpu/scan_plan_tiles.c | s@ \&\& !scan->calculation.initial@@ | device_middle
short_shared_last | src/gpu/kernels/reduce_short/short_shared.cuh | s@else if (left > i \* 16)@else if (left > i * 16 + 16)@ | device_short
short_shared_redo | src/gpu/kernels/reduce_short/short_shared.cuh | s@(!known \&\& r < left)@(!known \&\& r < left \&\& r > 0)@ | device_short
strip_pairs_half  | src/gpu/kernels/reduce_strips/strip_pairs.cuh | s@uint32_t shift = k % 2 \* 16@uint32_t shift = 0@ | device_tall
arg_pairs_place   | src/gpu/kernels/reduce_strips/strip_index_pairs.cuh | s@(int i = DEPTH \* IN_VECTOR - 1; i >= 0; i--)@(int i = 0; i < DEPTH * IN_VECTOR; i++)@ | device_nests
nest_whole_runs   | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@int all = WHOLE_RUNS .*@int all = WHOLE_RUNS;@ | device_views
nest_whole_rest   | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@if (!all || u + (EACH - 1) \* LANES > last) {@if (!all) {@ | device_views
nest_runs_heavy   | src/gpu/reduce_plan_long.c | s@MOST_VECTORS 4000@MOST_VECTORS 16000@ | device_long
nest_runs_whole   | src/gpu/reduce_plan_long.c | s@nested \&\& !sums_fit(.*@0) return 0;@ | device_long
nest_runs_order   | src/gpu/reduce_plan_long.c | s@each = least(divide_up(runs.units, runs.lanes), MOST_EACH)@each = least(divide_up(runs.units, runs.lanes), most)@ | device_nests
recall_flags      | src/gpu/recall.c    | s@.flags = calculation->flags,@@                          | device_again
recall_results    | src/gpu/recall.c    | s@facts.out = alignment(reduction->out);@@                | inside_reduce_plan
recall_loops      | src/gpu/recall.c    | s@    add(key, kept, .*@@                                  | device_again
recall_address    | src/gpu/reduce.c    | s@p.x = x;@@                                            | device_again
nest_bundle       | src/gpu/kernels/reduce_strips/tall_merge.cuh | s@unit % DEPTH) \* ROW_GROUPS@unit % DEPTH)@ | device_nests
nest_unit         | src/gpu/kernels/reduce_strips/strip_nest.cuh | s@apart = ROW_BUNDLES ? 1 : step.unit@apart = 1@ | device_nests
strip_first       | src/gpu/kernels/reduce_strips/strip_index.cuh | s@b->index < a->index@b->index > a->index@       | device_long
strip_codes       | src/gpu/kernels/reduce_strips/strip_index_bytes.cuh | s@if (strip->units + DEPTH > CODES) strip_decode(strip);@@ | device_tall
strip_some        | src/gpu/kernels/reduce_strips/strip_index_bytes.cuh | s@unit + from \* step@unit@                 | device_tall
coded_first       | src/gpu/kernels/reduce/coded_bytes.cuh | s@0xfcfdfeffu@0xfffefdfcu@                       | device_long
moments_turned    | src/gpu/kernels/reduce_strips/strip_moments.cuh | s@column.2. = __byte_perm(c, d, 0x5410)@column[2] = column[1]@ | device_tall
moments_level     | src/gpu/kernels/reduce/moments.cuh | s@size \* size == n \* m->squares \&\&@@             | device_long
moments_words     | src/gpu/kernels/reduce/moments.cuh | s@(int64_t)(m->squares >> 32)@0@                   | device_tall
wave_own_head     | src/gpu/kernels/scan_waves/wave_chunk.cuh | s@if (head \&\& split == 0) c.loads_bulk = 0;@@    | device_wave
across_bytes      | src/gpu/kernels/scan_waves/results_across.cuh | s@(by . 3) \* 8@0@                              | device_across
across_after      | src/gpu/kernels/scan_waves/results_across.cuh | s@after > begin + before@0@                     | device_across
words_of_rows     | src/gpu/kernels/scan_waves/rows_gaps.cuh | s@(word \& ((1u << bits) - 1)) . as_results(.*) << bits@word@  | device_across
words_at_ends     | src/gpu/kernels/scan_waves/rows_gaps.cuh | s@if (x >= p->low@if (x > p->low@                 | device_across
rows_turned       | src/gpu/kernels/scan_waves/rows_gaps.cuh | s@w.first -= (w.in_row - 1)@w.first -= (PER - 1)@ | device_across
rows_against      | src/gpu/kernels/scan_waves/rows_apart.cuh | s@hop->from += hop->to_next;@@                  | device_across
rows_mask_ends    | src/gpu/kernels/scan_waves/rows_mask.cuh | s@if (t.low == t.bulk_low .. t.high == t.bulk_high) return;@return;@ | device_across
rows_mask_row     | src/gpu/kernels/scan_waves/rows_mask.cuh | s@return mask_step(p) == 1 .. p->kept.0..where == p->length;@return mask_step(p) == 1;@ | device_across
narrow_waits      | src/gpu/kernels/scan_waves/wave_fold.cuh | s@__syncwarp();@@                                 | device_across
narrow_backward   | src/gpu/kernels/scan_waves/wave_fold.cuh | s@BACKWARD ? 31 - ((@0 ? 31 - ((@                  | device_across
truth_fill        | src/gpu/scan_plan_chunks.c | s@.fill = infinity ? infinity : 1; return 1@*fill = 0; return 1@ | device_across
pairs_rest        | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@last % PER_WORD \* 8@0 * 8@                     | device_rows
pairs_vector      | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@if (j <= vector) continue@if (j < vector) continue@ | device_rows
pairs_one_start   | src/gpu/kernels/scan_waves/scan_rows.cu | s@__clzll((long long)starts.inside) : first;@__clzll((long long)starts.inside) : 0;@ | device_rows
pairs_begins      | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@begins >> k . PER_WORD@begins@                   | device_halves
pairs_halves      | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@before, results, 0x5410@before, results, 0x7610@ | device_halves
bits_of_truth     | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@^    return truth_of_bytes(word);@    return word;@ | device_truth
bits_identity     | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@__funnelshift_l(WORST_WORD, up_to, 16)@(up_to << 16)@ | device_truth
byte_exclusive    | src/gpu/kernels/scan_waves/wave_pairs.cuh | s@__byte_perm(before, results, 0x6543)@results@    | device_rows
long_origin       | src/gpu/kernels/reduce/vector_part.cuh | s@ \&\& !HAS_ORIGINS@@                            | device_spread
tall_fan          | src/gpu/kernels/reduce_strips/tall_merge.cuh | s@first = (int32_t)p->splits;@first = 0;@                  | device_tall
tall_words        | src/gpu/kernels/reduce_strips/tall_words.cuh | s@words_merge(.room.column / COLUMNS_OF_CELL., sums.k.)@room[column / COLUMNS_OF_CELL] = sums[k]@ | device_tall
products_signs    | src/gpu/kernels/common/finish_fold.cuh | s@ || LIFT_NUMBER == LIFT_PRODUCT;@;@ | device_products
plan_no_overflow  | src/plan.c          | s@if (calculation->method != METHOD_EXACT && calculation->combine@if (0 && calculation->combine@ | plans
merged_places     | src/gpu/kernels/reduce_strips/tall_merge.cuh | s@other.index \* COLUMNS_OF_CELL + k@other.index * COLUMNS_OF_CELL@ | device_merged
merged_origins    | src/gpu/kernels/reduce_strips/tall_place.cuh | s@column - column % COLUMNS_OF_CELL@column@ | device_merged
merged_masks      | src/gpu/reduce_plan_merged.c | s@    cells->stride.OPERAND_WHERE. = .*@@ | device_absent
merged_tiles      | src/gpu/reduce_plan_tall.c | s@return deal->merged / greatest_divisor.*@return 1;@ | device_merged
long_split        | src/gpu/kernels/reduce_strips/long_merge.cuh | s@total_merge(.total, .other);@total = other;@    | device_long
spot_carry        | src/gpu/kernels/reduce_strips/strip_spot.cuh | s@if (carry) spot->at.d. -= extent;@@            | device_views
part_end          | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@unit == part->last ? part->to : IN_VECTOR@IN_VECTOR@ | device_views
ragged_ends       | src/gpu/kernels/reduce_short/short_left_out.cuh | s@if (range == WHOLE) return;@return;@         | device_views
short_apart       | src/gpu/kernels/reduce_short/short_rows.cuh | s@apart = PER == 1 ? .*;@apart = 16;@              | device_views
short_nest        | src/gpu/kernels/reduce_short/short_columns.cuh | s@        row->at.d. = 0;@@                   | device_views
unit_shift        | src/gpu/kernels/reduce/shifted.cuh | s@(middle, last, at . 8)@(middle, last, 0)@        | device_views device_short_columns
bundle_rows       | src/gpu/kernels/reduce_strips/strip_unit.cuh | s@return rows < DEPTH ? rows : DEPTH;@return DEPTH;@ | device_tall
fetched_shift     | src/gpu/kernels/reduce_strips/strip_fetched.cuh | s@word.32 . i + 1., ahead . 8)@word[32 * i + 1], 0)@ | device_fetched
fetched_ahead     | src/gpu/kernels/reduce_strips/strip_fetched.cuh | s@at + d . (uint32_t)w->apart \& (LINE@at \& (LINE@ | device_fetched
fetched_end       | src/gpu/kernels/reduce_strips/strip_fetched.cuh | s@if (end < bytes) stage_end@if (0) stage_end@     | device_fetched
fetched_absent    | src/gpu/kernels/reduce_strips/strip_fetched.cuh | s@if (d >= count) v.d. = .*;@@                             | device_fetched
fetched_free      | src/gpu/kernels/reduce_strips/strip_fetched.cuh | s@if (turn->round > 0) signal_await@if (0) signal_await@ | device_fetched
whole_lost        | src/gpu/kernels/reduce_strips/tall_whole.cuh | s@out)) lost .= 1u << k;@out)) lost = 0;@           | device_fetched
whole_near        | src/gpu/kernels/reduce_strips/tall_whole.cuh | s@cell)) open .= 1u << k;@cell)) open = 0;@         | device_fetched
absent_nan_half   | src/gpu/kernels/reduce/absent_words.cuh | s@0x03ff03ffu@0x03fe03feu@                         | device_absent
absent_nan_bf16   | src/gpu/kernels/reduce/absent_words.cuh | s@0x007f007fu@0x007e007eu@                         | device_absent
absent_count      | src/gpu/kernels/reduce/absent_words.cuh | s@lowest << i@lowest@                              | device_absent
absent_lane       | src/gpu/kernels/reduce_strips/strip_mask.cuh | s@k % 2 . 16 . 0xffff@0 \& 0xffff@                  | device_absent
absent_laid       | src/gpu/kernels/reduce_strips/tall_merge.cuh | s@ABSENT(total) = laid_absences().at.;@@            | device_absent
absent_laid_exact | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@total.absent = laid->absent;@@                   | device_absent
absent_part       | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@strip_mask(strip, .v.d., .mask.d., WHOLE);@@     | device_absent
absent_part_mask  | src/gpu/kernels/reduce_strips/strip_parts.cuh | s@unit < part->end .. !WHOLE_RUNS ? range >> 8 : 0@16 / ELEMENT_BYTES@ | device_absent
absent_rows       | src/gpu/kernels/reduce_short/short_rows.cuh | s@absent.r. = count + __shfl@absent[r] = __shfl@     | device_absent
absent_row        | src/gpu/kernels/reduce_short/short_rows.cuh | s@absent.0. += __shfl_xor_sync(FULL_WARP, absent.0., distance)@@ | device_absent
absent_no_row     | src/gpu/kernels/reduce_short/short_rows.cuh | s@memset(.v->mask.r..e., 255@memset(\&v->mask[r][e], 0@ | device_absent
absent_last       | src/gpu/kernels/reduce_short/short_words.cuh | s@left->count++@(void)0@                           | device_absent
mean_tie          | src/gpu/kernels/reduce/short_total.cuh | s@return double_bits(less) . 1 ? more : less;@return less;@ | device_absent
mean_side         | src/gpu/kernels/reduce/short_total.cuh | s@return fabs(left) > fabs(middle) ? more : less;@return less;@ | device_absent
absent_copied     | src/gpu/reduce.c    | s@status == TALLY_OK .. !is_dense@status == TALLY_OK \&\& 0@ | device_absent
fetched_width     | src/gpu/reduce_plan_fetched.c | s@ in_word) \* in_word;@ in_word) * in_word + (deal->columns \& 1 ? 0 : 1);@ | device_fetched
words_apart       | src/gpu/kernels/reduce_short/short_words.cuh | s@: 0) \* apart;@: 0) * bytes;@               | device_views
staged_apart      | src/gpu/kernels/reduce_short/short_staged.cuh | s@s->x.first + row \* s->x.apart@s->x.first + row * RESULT_SIZE@ | device_views
staged_spread     | src/gpu/kernels/reduce_short/short_staged.cuh | s@apart : apart + 16}@apart : apart}@           | device_products
plan_gap_waste    | src/gpu/reduce_plan_whole.c | s@ \&\& (.apart \* size <= SECTOR .*;@;@          | inside_reduce_plan
gaps_phase        | src/gpu/kernels/reduce_whole/gaps.cuh | s@phase < 0 ? phase + apart : phase@phase < 0 ? 0 : phase@ | device_views
gaps_step         | src/gpu/kernels/reduce_whole/reduce_whole.cu | s@a.step = THREADS \* VECTOR % a.apart;@a.step = 0;@ | device_views
gaps_run          | src/gpu/kernels/reduce_whole/gaps.cuh | s@% apart < run@% apart <= run@                           | device_views
one_masked        | src/one_element.c   | s@ .. reduction->where @ @ | one_element
one_initial       | src/one_element.c   | s@ calculation->initial .. @ @ | one_element
one_rounded_once  | src/one_element.c   | s@ || !is_rounded_once(calculation)@@ | one_element
pair_limit        | src/gpu/kernels/common/pair.cuh | s@return lost + (pair->low - pair->low);@return lost;@ | device_specials
near_limit        | src/gpu/kernels/scan/near.cuh | s@error + fabs(near->pair.low) <=@error <=@ | device_specials
strip_left_range  | src/gpu/kernels/reduce_strips/strip_exact.cuh | s@(strip->special.k. \& EXACT_NAN) != 0;@strip->off[k] != strip->off[k];@ | device_specials
spread_room_bytes | src/gpu/kernels/parameters/reduce_parameters.h | s@REDUCE_SPREAD_BYTES 64@REDUCE_SPREAD_BYTES 40@ | device_masks
plan_rows_31      | src/gpu/reduce_plan_tall.c | s@type->size == 1 || !deal.flat@type->size == 1@ | inside_reduce_plan
plan_nest_31      | src/gpu/reduce_plan_tall.c | s@if (reduction->reduced.d..extent > MOST_NESTED_EXTENT) return 0;@@ | inside_reduce_plan
plan_run_bytes    | src/gpu/reduce_plan_long.c | s@if (count > 1 \&\& run->extent \* size > MOST_RUN_BYTES) return 0;@@ | inside_reduce_plan
plan_many_threads | src/gpu/reduce_plan_ordered.c | s@4 \* THREADS / CREW \* of_crew@0@ | inside_reduce_plan
plan_close        | src/gpu/reduce_plan_staged.c | s@ (apart <= CLOSE_BYTES .*@ apart == bytes;@     | inside_reduce_plan
plan_lone_mask    | src/gpu/reduce_plan_staged.c | s@(apart == 0 \&\& operand != OPERAND_X) .. *@@    | inside_reduce_plan
plan_ragged       | src/gpu/reduce_plan_short.c | s@RAGGED_APART 17@RAGGED_APART 64@                   | inside_reduce_plan
plan_spread_mask  | src/gpu/reduce_plan_spread.c | s@bare.flags \&= .*@@                              | inside_reduce_plan
spread_absent     | src/gpu/kernels/reduce/reduce_spread.cu | s@    n -= q.absent;@@                            | device_masks
spread_filling    | src/gpu/kernels/reduce/reduce_spread.cu | s@x\[i\] = present ? x\[i\] : filling_of(from);@@ | device_masks
spread_first      | src/gpu/kernels/reduce/reduce_spread.cu | s@__ffs((int)all) - 1@0@                          | device_masks
spread_float      | src/gpu/kernels/reduce/reduce_spread.cu | s@x.v = IS_RELATIVE . (float).from : 0;@x.v = IS_RELATIVE ? (float)(int)*from : 0;@ | device_spread
spread_integer    | src/gpu/kernels/reduce/reduce_spread.cu | s@x.v = IS_RELATIVE . (storage).from : 0;@x.v = 0;@ | device_spread
integer_rest      | src/gpu/kernels/reduce/quick_spread.cuh | s@if (x.v < from) .rest = -.rest;@@               | device_spread
integer_size      | src/gpu/kernels/reduce/quick_spread.cuh | s@if (x.v < from) size = 0 - size;@@              | device_spread
integer_words     | src/gpu/kernels/reduce_short/short_spread.cuh | s@state_absorb(s, .x, .x, .place, 1);@@           | device_spread
end_complex       | src/gpu/reduce.c | s@ .. (is_integer .. type_row(calculation->result)->kind == KIND_COMPLEX)@@ | one_element
one_backwards     | src/one_element.c | s@(char .)scan->out + base@(char *)scan->out + 0 * base@                | one_element
staged_room       | src/gpu/kernels/reduce_short/short_staged.cuh | s@room += room_of(p->split_units, apart, bytes);@room += 1;@ | device_products
staged_origin     | src/gpu/kernels/reduce_short/short_staged.cuh | s@while (IS_RELATIVE .*first++;@@                    | device_masks
staged_count      | src/gpu/kernels/reduce_short/short_staged.cuh | s@n = team_total(n, LANES) - .*;@n = length;@     | device_masks
spread_shares     | src/gpu/kernels/reduce/spread.cuh | s@by.inverse = (double)n > .*@@                         | device_masks
product_off       | src/gpu/kernels/reduce_short/short_products.cuh | s@w->most ? most \* .* : 0, n, out@0, n, out@    | device_products
product_rest      | src/gpu/kernels/reduce_short/short_products.cuh | s@near_add(sum, fma(a, b, -product));@@          | device_products
redo_absent       | src/gpu/kernels/reduce_short/short_redo.cuh | s@s.absent = n - present;@@                         | device_masks
words_behind      | src/gpu/kernels/reduce_short/short_words.cuh | s@(x.last. . behind)@x[last]@                   | device_short
words_ends        | src/gpu/kernels/reduce_short/short_words.cuh | s@member == 1 ? to << 8 : 0@0@                   | device_short
run_of_vectors    | src/gpu/reduce_plan_columns.c | s@run->extent /= in_row;@@                         | device_views
rows_apart        | src/gpu/kernels/scan_waves/rows_gaps.cuh | s@    hop->row++;@@                               | device_views
mask_absent       | src/gpu/kernels/reduce_strips/strip_walk.cuh | s@absent = vector_between(absent, range, \&none);@@ | device_masks
mask_range        | src/gpu/kernels/reduce_strips/strip_masked.cuh | s@range.d. = here < w->units ? from . to << 8@range[d] = here < w->units ? WHOLE@ | device_masks
mask_of_tile      | src/gpu/kernels/reduce/tile.cuh | s@masked.x.j. = vector_filled(tile->x.j., \&tile->mask.j., filling_vector())@masked.x[j] = tile->x[j]@ | device_masks
mask_of_element   | src/gpu/kernels/reduce_strips/strip_mask.cuh | s@if (is_absent(p, x, i)) return filling_element();@(void)x;@ | device_masks
mask_recalled     | src/gpu/recall.c    | s@reduction->where ? 1 + alignment(reduction->where) : 0@reduction->where != NULL@ | device_masks
mask_filling      | src/gpu/kernels/scan_waves/mask_vectors.cuh | s@(filling_word(fill, i) \& ~present)@(v.word[i] \& ~present)@ | device_steps
turned_parts      | src/gpu/kernels/scan_waves/scan_wave.cu | s@if (TURNED \&\& chunk.loads_bulk) turn_part(memory);@@ | device_steps
arrange_square    | src/gpu/kernels/arrange/arrange_squares.cuh | s@words.1. = __byte_perm(a, c, 0x7632)@words[1] = __byte_perm(a, c, 0x5410)@ | device_arrange
arrange_shift     | src/gpu/kernels/arrange/arrange_squares.cuh | s@count > 0 \&\& ahead + count > EACH@0@          | device_arrange
arrange_mask      | src/gpu/kernels/arrange/arrange.cu | s@return (word . present) . (fill . ~present);@return word;@ | device_arrange
arrange_gaps      | src/gpu/kernels/arrange/arrange_rows.cuh | s@0x6420 :@0x7531 :@                                | device_arrange
arrange_backward  | src/gpu/kernels/arrange/arrange_rows.cuh | s@if (STEP < 0) from -= .*@@                        | device_arrange
arrange_step      | src/gpu/scan_arrange.c | s@loop->x == -1 .. distance(loop->x) == 2@distance(loop->x) == 2@ | inside_scan_arrange
arrange_run       | src/gpu/kernels/arrange/arrange.cu | s@if (all == run) break;@@                           | device_arrange
arrange_edge      | src/gpu/kernels/arrange/arrange.cu | s@first >= 0 \&\& first + UNIT <= here@first + UNIT <= here@ | device_arrange
arrange_turned    | src/gpu/scan_arrange.c | s@a->out += last . loop->out, @@                         | device_arrange
arrange_words     | src/gpu/scan_arrange.c | s@edges % each == 0 \&\& first % WORD == 0@edges % each == 0@ | inside_scan_arrange
arrange_far       | src/gpu/scan_arrange.c | s@return x > INT32_MAX@return 0@                          | inside_scan_arrange
arrange_no_memory | src/gpu/scan_launch.c | s@if (status == TALLY_OUT_OF_MEMORY) status = plan_as_it_lies(l, scan);@@ | device_arrange
turned_vectors    | src/gpu/kernels/scan_waves/rows_gaps.cuh | s@turned(held.k., ELEMENT_SIZE)@held[k]@              | device_steps
long_rows_border  | src/gpu/kernels/scan_waves/rows_gaps.cuh | s@if (border % PER == 0) continue;@continue;@          | device_views
step_across       | src/gpu/kernels/scan/scan_stage.cuh | s@way == ACROSS ? THREADS / team : team \* RUN@team * RUN@ | device_steps
modulo_add_room   | src/modulo.h        | s@return a >= room ?@return a > room ?@                  | modular_scan
modulo_too_small  | src/modulo.h        | s@r >= twice ? r - twice : r@r@                          | modular
modulo_quotient   | src/modulo.h        | s@if (r > (uint64_t)q) r += divisor;@@                   | modular
modulo_negative   | src/modulo.h        | s@flip ? m.p - 1 - r : r@flip ? m.p - r : r@             | modular
wide_carry        | src/fold_steps.h    | s@carry += a.1. < b.1.;@@                                | modular
wide_sign         | src/fold_integer.h  | s@(s).part.1. = 0 - (uint64_t)INTEGER_NEGATIVE(x)@(s).part[1] = 0@ | modular
modular_too_long  | src/plan.c          | s@(63 - bits)@(73 - bits)@                               | modular
modular_merged    | src/partial.c       | s@a->modulus.p == b->modulus.p@1@                   | modular_scan
modular_packed    | src/partial_pack.c  | s@if (version >= 2) options.modulus = @(void)@           | modular_scan
strip_of_words    | src/gpu/kernels/common/program.cuh | s@defined(PICK_VALUE_ADD_WIDE) ||@@              | device_modular
life_group_left   | life/group.cuh      | s@__shfl_sync(ALL_LANES, own.x.GROUP - 1., lane_left), own@own.x[GROUP - 1], own@ | life_gpu
life_ghosts       | life/gpu_groups_step.c | s@if (!wrap(world, why)) return false;@@                 | life_gpu
life_strip_ring   | life/stream.cu      | s@if (p.wrapped) number = (number + p.groups) % p.groups;@@ | life_gpu
life_ring_beside  | life/stream.cu      | s@p.closed ? ring : ring - 1;@p.closed ? ring : ring;@   | life_gpu
life_settled_rows | life/settled.cu     | s@y < GENERATIONS ? columns : 0@y < 0 ? columns : 0@     | life_settled
life_settled_left | life/settled.cu     | s@any \& lowest ? 1 : 0@any \& 0 ? 1 : 0@                | life_settled
life_settled_ends | life/settled.cu     | s@return !t.wrapped \&\&@return 0 \&\&@                  | life_settled
life_settled_read | life/gpu_groups.c   | s@world->watch.listed = false;@@                         | life_settled
life_settled_odd  | life/gpu_groups_step.c | s@watch->distance < 2 || SETTLED_GENERATIONS % watch->distance != 0@0@ | life_settled
life_band_wide    | life/band.cu        | s@w > 0 ? row.x.GROUP . w - 1. : left@left@              | life_gpu
life_band_round   | life/band.cu        | s@first >> 32 == round \&\&@true ||@                    | life_gpu
life_rule_turned  | life/gpu_rule.c     | s@d->turned = differ != 0;@@                             | life_gpu
life_around       | life/convert.cu     | s@__funnelshift_r(at.0..x.k., at.1..x.k., p)@(at[0].x[k] >> p)@ | life_gpu
rule_order        | life/rule.c         | s@if (!parse_counts(parser, .rule->survives))@if (!parse_counts(parser, \&rule->born))@ | life_rules
rle_line_length   | life/rle.c          | s@length > 70@length > 71@                               | life_formats
rle_empty_rows    | life/rle.c          | s@y += count;@y += 1;@                                   | life_formats
pattern_no_limit  | life/reader.c       | s@if (height > most_cells / width)@if (0)@               | life_broken
macrocell_level   | life/macrocell.c    | s@if (part->level != level - 1)@if (0)@                  | life_broken
soup_edge         | life/soup.c         | s@if (grid->width % 64 != 0) row@if (0) row@             | life_area
box_right         | life/area.c         | s@ - __builtin_clzll(row.right.)@@                       | life_area
cut_around        | life/area.c         | s@for (int64_t have = grid->width - x; have < 64;@for (int64_t have = grid->width - x; have < 0;@ | life_area
period_moved      | life/period.c       | s@steps >= fewest .. !is_moved(.*)) continue@steps >= fewest) continue@ | life_area
period_fewest     | life/period.c       | s@if (steps >= fewest@if (fewest < INT64_MAX@         | life_area
period_repeats    | life/period.c       | s@same = lines->border.same - 1.;@same = 0;@            | life_area
macrocell_row     | life/macrocell.c    | s@y = x + 1;@y = x;@                                     | life_formats
naive_edges       | life/naive.c        | s@problem.edges == LIFE_TORUS@problem.edges != LIFE_TORUS@ | life_known
look_back_lost    | src/gpu/kernels/scan/look_back.cuh | s@state_append(.prefix, .found.total);@@           | device_agree
'

root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
build=$copy/build
cores=${MUTANT_CORES:-$(nproc)}
seconds=300 # for one test program: a mutation may make it run forever
passed=0
failed=0

verdict() { # passed or failed, text
    echo "mutants: $2"
    [ "$1" = passed ] && passed=$((passed + 1)) && return 0
    failed=$((failed + 1))
}

# One instruction set and little optimisation: what is tested is the tests.
configure() {
    cp -R "$root"/{CMakeLists.txt,cmake,include,ladder,life,simt,src,tests} "$copy"
    mkdir -p "$copy/examples" "$copy/cli" "$copy/docs"
    cmake -S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DTALLY_TESTS=ON \
        -DTALLY_HDF5=OFF -DTALLY_ONLY_ISA=base >"$copy/log" 2>&1
}

compile() { # programs...
    cmake --build "$build" --parallel "$cores" --target "${@/#/test_}" >"$copy/log" 2>&1
}

# Runs the programs until one fails; prints its name.
first_failure() { # programs...
    local program
    for program in "$@"; do
        (cd "$build/tests" && TALLY_TEST_STOP=1 timeout "$seconds" "./$program") >"$copy/log" 2>&1 || { echo "$program" && return 0; }
    done
}

try_row() { # name, file, expression, programs
    local name=$1 file=$2 expression=$3 programs noticed
    read -r -a programs <<<"$4"
    sed -i "$expression" "$copy/$file"
    if cmp -s "$root/$file" "$copy/$file"; then
        verdict failed "$name: the expression changes nothing in $file"
    elif ! compile "${programs[@]}"; then
        verdict failed "$name: does not compile"
        tail -n 5 "$copy/log"
    elif noticed=$(first_failure "${programs[@]}") && [ -n "$noticed" ]; then
        verdict passed "$name: noticed by $noticed"
    else
        verdict failed "$name: NOT NOTICED by $4"
    fi
    cp "$root/$file" "$copy/$file"
}

# Runs the rows of a part in two halves side by side: compiling one row keeps no two cores busy for long.
in_halves() { # first row, step
    local half some names=() pids=() status=0 i=0 share=1
    while IFS= read -r row; do
        [ -z "$row" ] || [ $((i++ % $2)) -ne "$1" ] || names+=("${row%% *}")
    done <<<"$table"
    [ "${#names[@]}" -gt 1 ] || share=$cores
    for half in 0 1; do
        [ "${#names[@]}" -gt "$half" ] || continue
        some=
        for ((i = half; i < ${#names[@]}; i += 2)); do some+=" ${names[i]}"; done
        # shellcheck disable=SC2086
        MUTANT_CORES=$share bash "$0" $some >"$copy/half-$half" 2>&1 &
        pids[half]=$!
    done
    for half in "${!pids[@]}"; do
        wait "${pids[half]}" || status=1
        cat "$copy/half-$half"
    done
    exit $status
}

# $name, $file, $expression and $programs of a row. The expression may hold "|" itself: the name and file are the first two
# fields, the programs the last.
read_row() {
    local rest=${1#*|}
    read -r name <<<"${1%%|*}"
    read -r file <<<"${rest%%|*}"
    rest=${rest#*|}
    read -r expression <<<"${rest%|*}"
    read -r programs <<<"${rest##*|}"
}

check_rows() {
    local status=0
    while IFS= read -r row; do
        [ -n "$row" ] || continue
        read_row "$row"
        sed "$expression" "$root/$file" | cmp -s - "$root/$file" || continue
        echo "mutants: $name: the expression changes nothing in $file" && status=1
    done <<<"$table"
    exit $status
}

[ "${1:-}" != --check ] || check_rows
part=0/1
[ "${1:-}" != --part ] || { part=${2:-} && shift 2; }
[[ $part =~ ^[0-9]+/[1-9][0-9]*$ ]] || { echo "mutants.sh: --part needs K/N" >&2 && exit 2; }
[ $# -gt 0 ] || in_halves "${part%/*}" "${part#*/}"
rows=()
while IFS= read -r row; do
    [ -n "$row" ] || continue
    [ $# -eq 0 ] || [[ " $* " == *" ${row%% *} "* ]] || continue
    rows+=("$row")
done <<<"$table"

configure || { cat "$copy/log" && exit 1; }
mapfile -t all < <(printf '%s\n' "${rows[@]}" | awk -F'|' '{ print $NF }' | tr -s ' ' '\n' | sed '/^$/d' | sort -u)
if [ "${#all[@]}" -gt 0 ]; then
    compile "${all[@]}" || { tail -n 20 "$copy/log" && exit 1; }
    broken=$(seconds=900 first_failure "${all[@]}") # which compiles all of their kernels
    [ -z "$broken" ] || { cat "$copy/log" && echo "mutants: $broken fails before any mutation" && exit 1; }
fi
for row in "${rows[@]}"; do
    read_row "$row"
    try_row "$name" "$file" "$expression" "$programs"
done
echo "mutants: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
