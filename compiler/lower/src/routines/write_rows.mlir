func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %false = arith.constant false
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %update = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %starts = func.call @rt_after(%words, %update) : (memref<?xi64>, index) -> index
  %at_axis = func.call @rt_after(%words, %starts) : (memref<?xi64>, index) -> index
  %at_circular = arith.addi %at_axis, %c1 : index
  %result = arith.addi %at_axis, %c2 : index
  %axis = func.call @rt_word(%words, %at_axis) : (memref<?xi64>, index) -> index
  %circular_word = func.call @rt_word(%words, %at_circular) : (memref<?xi64>, index) -> index
  %is_circular = arith.cmpi ne, %circular_word, %c0 : index
  %at_rank = arith.addi %result, %c1 : index
  %at_update_rank = arith.addi %update, %c1 : index
  %at_starts_rank = arith.addi %starts, %c1 : index
  %rank = func.call @rt_word(%words, %at_rank) : (memref<?xi64>, index) -> index
  %cache_rank = func.call @rt_word(%words, %c1) : (memref<?xi64>, index) -> index
  %update_rank = func.call @rt_word(%words, %at_update_rank) : (memref<?xi64>, index) -> index
  %starts_rank = func.call @rt_word(%words, %at_starts_rank) : (memref<?xi64>, index) -> index
  %after = arith.addi %axis, %c1 : index
  %rest = arith.subi %rank, %after : index
  %same_rank = arith.cmpi eq, %rank, %cache_rank : index
  %same_ranks = arith.cmpi eq, %rank, %update_rank : index
  %is_axis = arith.cmpi ult, %axis, %rank : index
  %a = arith.andi %same_rank, %same_ranks : i1
  %comparable = arith.andi %a, %is_axis : i1
  %fits = scf.if %comparable -> (i1) {
    %p = func.call @rt_same_extents(%words, %c0, %c0, %result, %c0, %axis) : (memref<?xi64>, index, index, index, index, index) -> i1
    %q = func.call @rt_same_extents(%words, %c0, %after, %result, %after, %rest) : (memref<?xi64>, index, index, index, index, index) -> i1
    %r = func.call @rt_same_extents(%words, %update, %c0, %result, %c0, %axis) : (memref<?xi64>, index, index, index, index, index) -> i1
    %s = func.call @rt_same_extents(%words, %update, %after, %result, %after, %rest) : (memref<?xi64>, index, index, index, index, index) -> i1
    %own = func.call @rt_extent(%words, %c0, %axis) : (memref<?xi64>, index, index) -> index
    %room = func.call @rt_extent(%words, %result, %axis) : (memref<?xi64>, index, index) -> index
    %batch = func.call @rt_extent(%words, %result, %c0) : (memref<?xi64>, index, index) -> index
    %positions = func.call @rt_product(%words, %starts, %c0, %starts_rank) : (memref<?xi64>, index, index, index) -> index
    %has_room = arith.cmpi ule, %own, %room : index
    %has_one = arith.cmpi eq, %positions, %c1 : index
    %has_each = arith.cmpi eq, %positions, %batch : index
    %has_positions = arith.ori %has_one, %has_each : i1
    %pq = arith.andi %p, %q : i1
    %rs = arith.andi %r, %s : i1
    %pqrs = arith.andi %pq, %rs : i1
    %enough = arith.andi %has_room, %has_positions : i1
    %all = arith.andi %pqrs, %enough : i1
    scf.yield %all : i1
  } else {
    scf.yield %false : i1
  }
  %done = arith.constant 0 : i64
  %no_fit = arith.constant 1 : i64
  %outside = arith.constant 2 : i64
  %failure = scf.if %fits -> (i64) {
    %from = func.call @rt_address(%words, %c0) : (memref<?xi64>, index) -> index
    %new = func.call @rt_address(%words, %update) : (memref<?xi64>, index) -> index
    %first = func.call @rt_address(%words, %starts) : (memref<?xi64>, index) -> index
    %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %cache = "rt.buffer"(%from) : (index) -> memref<?x$type0>
    %rows = "rt.buffer"(%new) : (index) -> memref<?x$type0>
    %places = "rt.buffer"(%first) : (index) -> memref<?x$type2>
    %elements = "rt.buffer"(%to) : (index) -> memref<?x$type0>
    %elsewhere = arith.cmpi ne, %from, %to : index
    %zero = arith.constant 0 : $type0
    %lines = func.call @rt_product(%words, %result, %c0, %axis) : (memref<?xi64>, index, index, index) -> index
    %size = func.call @rt_product(%words, %result, %after, %rank) : (memref<?xi64>, index, index, index) -> index
    %own = func.call @rt_extent(%words, %c0, %axis) : (memref<?xi64>, index, index) -> index
    %count_new = func.call @rt_extent(%words, %update, %axis) : (memref<?xi64>, index, index) -> index
    %room = func.call @rt_extent(%words, %result, %axis) : (memref<?xi64>, index, index) -> index
    %batch = func.call @rt_extent(%words, %result, %c0) : (memref<?xi64>, index, index) -> index
    %positions = func.call @rt_product(%words, %starts, %c0, %starts_rank) : (memref<?xi64>, index, index, index) -> index
    %has_one = arith.cmpi eq, %positions, %c1 : index
    %line_length = arith.muli %room, %size : index
    %own_length = arith.muli %own, %size : index
    %new_length = arith.muli %count_new, %size : index
    %has_no_room = arith.cmpi eq, %line_length, %c0 : index
    %written = arith.select %has_no_room, %c0, %count_new : index
    %failed = scf.for %line = %c0 to %lines step %c1 iter_args(%so_far = %done) -> (i64) {
      %line_start = arith.muli %line, %line_length : index
      scf.if %elsewhere {
        %own_start = arith.muli %line, %own_length : index
        scf.for %at = %c0 to %line_length step %c1 {
          %is_own = arith.cmpi ult, %at, %own_length : index
          %element = scf.if %is_own -> ($type0) {
            %from_at = arith.addi %own_start, %at : index
            %kept = memref.load %cache[%from_at] : memref<?x$type0>
            scf.yield %kept : $type0
          } else {
            scf.yield %zero : $type0
          }
          %to_at = arith.addi %line_start, %at : index
          memref.store %element, %elements[%to_at] : memref<?x$type0>
        }
      }
      %before = arith.muli %line, %batch : index
      %sequence = arith.divui %before, %lines : index
      %which = arith.select %has_one, %c0, %sequence : index
      %word = memref.load %places[%which] : memref<?x$type2>
      %start = arith.index_cast %word : $type2 to index
      %last = arith.subi %room, %count_new : index
      %is_late = arith.cmpi sgt, %start, %last : index
      %is_early = arith.cmpi slt, %start, %c0 : index
      %is_out = arith.ori %is_late, %is_early : i1
      %has_rows = arith.cmpi ne, %new_length, %c0 : index
      %is_beyond = arith.andi %is_out, %has_rows : i1
      %stays = arith.constant true
      %is_straight = arith.xori %is_circular, %stays : i1
      %is_wrong = arith.andi %is_beyond, %is_straight : i1
      %next = scf.if %is_wrong -> (i64) {
        scf.yield %outside : i64
      } else {
        %new_start = arith.muli %line, %new_length : index
        scf.for %row = %c0 to %written step %c1 {
          %exact = arith.addi %start, %row : index
          // the least remainder that is not negative
          %remainder = arith.remsi %exact, %room : index
          %is_negative = arith.cmpi slt, %remainder, %c0 : index
          %raised = arith.addi %remainder, %room : index
          %wrapped = arith.select %is_negative, %raised, %remainder : index
          %place = arith.select %is_circular, %wrapped, %exact : index
          %place_start = arith.muli %place, %size : index
          %to_start = arith.addi %line_start, %place_start : index
          %row_start = arith.muli %row, %size : index
          %from_start = arith.addi %new_start, %row_start : index
          scf.for %at = %c0 to %size step %c1 {
            %from_at = arith.addi %from_start, %at : index
            %to_at = arith.addi %to_start, %at : index
            %element = memref.load %rows[%from_at] : memref<?x$type0>
            memref.store %element, %elements[%to_at] : memref<?x$type0>
          }
        }
        scf.yield %so_far : i64
      }
      scf.yield %next : i64
    }
    scf.yield %failed : i64
  } else {
    scf.yield %no_fit : i64
  }
  return %failure : i64
}
