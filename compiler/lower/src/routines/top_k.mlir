// Whether an element comes before another one: NaN is the greatest.
func.func private @rt_before_$kind0(%largest: i1, %a: $type0, %b: $type0) -> i1 {
  %true = arith.constant true
  %a_is_nan = $nan0, %a, %a : $type0
  %b_is_nan = $nan0, %b, %b : $type0
  %is_greater = $lt0, %b, %a : $type0
  %is_less = $lt0, %a, %b : $type0
  %b_is_number = arith.xori %b_is_nan, %true : i1
  %a_is_number = arith.xori %a_is_nan, %true : i1
  %only_a = arith.andi %a_is_nan, %b_is_number : i1
  %only_b = arith.andi %b_is_nan, %a_is_number : i1
  %above = arith.ori %is_greater, %only_a : i1
  %below = arith.ori %is_less, %only_b : i1
  %before = arith.select %largest, %above, %below : i1
  return %before : i1
}

// Each element is inserted among the best so far, which are the result: after all that do not come after it.
func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %false = arith.constant false
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %rank = func.call @rt_word(%words, %c1) : (memref<?xi64>, index) -> index
  %at_axis = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %at_largest = arith.addi %at_axis, %c1 : index
  %result = arith.addi %at_axis, %c2 : index
  %second = func.call @rt_after(%words, %result) : (memref<?xi64>, index) -> index
  %axis = func.call @rt_word(%words, %at_axis) : (memref<?xi64>, index) -> index
  %largest_word = func.call @rt_word(%words, %at_largest) : (memref<?xi64>, index) -> index
  %largest = arith.cmpi ne, %largest_word, %c0 : index
  %extent = func.call @rt_extent(%words, %c0, %axis) : (memref<?xi64>, index, index) -> index
  %wanted = func.call @rt_extent(%words, %result, %axis) : (memref<?xi64>, index, index) -> index
  %enough = arith.cmpi ule, %wanted, %extent : index
  %failure = scf.if %enough -> (i64) {
    %after = arith.addi %axis, %c1 : index
    %outer = func.call @rt_product(%words, %c0, %c0, %axis) : (memref<?xi64>, index, index, index) -> index
    %inner = func.call @rt_product(%words, %c0, %after, %rank) : (memref<?xi64>, index, index, index) -> index
    %from = func.call @rt_address(%words, %c0) : (memref<?xi64>, index) -> index
    %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %to_places = func.call @rt_address(%words, %second) : (memref<?xi64>, index) -> index
    %x = "rt.buffer"(%from) : (index) -> memref<?x$type0>
    %values = "rt.buffer"(%to) : (index) -> memref<?x$type0>
    %places = "rt.buffer"(%to_places) : (index) -> memref<?xi64>
    %has_some = arith.cmpi ne, %wanted, %c0 : index
    %rows = arith.select %has_some, %outer, %c0 : index
    %last = arith.subi %wanted, %c1 : index
    scf.for %row = %c0 to %rows step %c1 {
      %source_row = arith.muli %row, %extent : index
      %target_row = arith.muli %row, %wanted : index
      scf.for %column = %c0 to %inner step %c1 {
        scf.for %place = %c0 to %extent step %c1 {
          %in_source = arith.addi %source_row, %place : index
          %source_start = arith.muli %in_source, %inner : index
          %source = arith.addi %source_start, %column : index
          %candidate = memref.load %x[%source] : memref<?x$type0>
          %has_room = arith.cmpi ult, %place, %wanted : index
          // the place behind the best so far, or that of the last one, which is dropped
          %end = arith.select %has_room, %place, %last : index
          %is_best = scf.if %has_room -> (i1) {
            %true = arith.constant true
            scf.yield %true : i1
          } else {
            %in_last = arith.addi %target_row, %last : index
            %last_start = arith.muli %in_last, %inner : index
            %last_at = arith.addi %last_start, %column : index
            %worst = memref.load %values[%last_at] : memref<?x$type0>
            %comes = func.call @rt_before_$kind0(%largest, %candidate, %worst) : (i1, $type0, $type0) -> i1
            scf.yield %comes : i1
          }
          scf.if %is_best {
            %free = scf.while (%at = %end) : (index) -> index {
              %has_previous = arith.cmpi ne, %at, %c0 : index
              %moves = scf.if %has_previous -> (i1) {
                %previous = arith.subi %at, %c1 : index
                %in_previous = arith.addi %target_row, %previous : index
                %previous_start = arith.muli %in_previous, %inner : index
                %previous_at = arith.addi %previous_start, %column : index
                %other = memref.load %values[%previous_at] : memref<?x$type0>
                %comes = func.call @rt_before_$kind0(%largest, %candidate, %other) : (i1, $type0, $type0) -> i1
                scf.yield %comes : i1
              } else {
                scf.yield %false : i1
              }
              scf.condition(%moves) %at : index
            } do {
            ^bb0(%at: index):
              %previous = arith.subi %at, %c1 : index
              %in_previous = arith.addi %target_row, %previous : index
              %previous_start = arith.muli %in_previous, %inner : index
              %previous_at = arith.addi %previous_start, %column : index
              %in_target = arith.addi %target_row, %at : index
              %target_start = arith.muli %in_target, %inner : index
              %target = arith.addi %target_start, %column : index
              %value = memref.load %values[%previous_at] : memref<?x$type0>
              %number = memref.load %places[%previous_at] : memref<?xi64>
              memref.store %value, %values[%target] : memref<?x$type0>
              memref.store %number, %places[%target] : memref<?xi64>
              scf.yield %previous : index
            }
            %in_target = arith.addi %target_row, %free : index
            %target_start = arith.muli %in_target, %inner : index
            %target = arith.addi %target_start, %column : index
            %number = arith.index_cast %place : index to i64
            memref.store %candidate, %values[%target] : memref<?x$type0>
            memref.store %number, %places[%target] : memref<?xi64>
          }
        }
      }
    }
    %done = arith.constant 0 : i64
    scf.yield %done : i64
  } else {
    %too_few = arith.constant 1 : i64
    scf.yield %too_few : i64
  }
  return %failure : i64
}
