func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %rank = func.call @rt_word(%words, %c1) : (memref<?xi64>, index) -> index
  %at_axis = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %at_exclusive = arith.addi %at_axis, %c1 : index
  %at_reverse = arith.addi %at_axis, %c2 : index
  %at_product = arith.addi %at_axis, %c3 : index
  %result = arith.addi %at_axis, %c4 : index
  %given = func.call @rt_word(%words, %at_axis) : (memref<?xi64>, index) -> index
  %axis = func.call @rt_place(%given, %rank) : (index, index) -> index
  %exclusive_word = func.call @rt_word(%words, %at_exclusive) : (memref<?xi64>, index) -> index
  %reverse_word = func.call @rt_word(%words, %at_reverse) : (memref<?xi64>, index) -> index
  %product_word = func.call @rt_word(%words, %at_product) : (memref<?xi64>, index) -> index
  %is_exclusive = arith.cmpi ne, %exclusive_word, %c0 : index
  %is_reverse = arith.cmpi ne, %reverse_word, %c0 : index
  %is_product = arith.cmpi ne, %product_word, %c0 : index
  %exists = arith.cmpi ult, %axis, %rank : index
  %failure = scf.if %exists -> (i64) {
    %after = arith.addi %axis, %c1 : index
    %outer = func.call @rt_product(%words, %c0, %c0, %axis) : (memref<?xi64>, index, index, index) -> index
    %extent = func.call @rt_extent(%words, %c0, %axis) : (memref<?xi64>, index, index) -> index
    %inner = func.call @rt_product(%words, %c0, %after, %rank) : (memref<?xi64>, index, index, index) -> index
    %last = arith.subi %extent, %c1 : index
    %from = func.call @rt_address(%words, %c0) : (memref<?xi64>, index) -> index
    %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %x = "rt.buffer"(%from) : (index) -> memref<?x$type0>
    %y = "rt.buffer"(%to) : (index) -> memref<?x$type0>
    %zero = arith.constant $zero0 : $type0
    %one = arith.constant $one0 : $type0
    %neutral = arith.select %is_product, %one, %zero : $type0
    scf.for %row = %c0 to %outer step %c1 {
      scf.for %column = %c0 to %inner step %c1 {
        %end = scf.for %step = %c0 to %extent step %c1 iter_args(%before = %neutral) -> ($type0) {
          %mirrored = arith.subi %last, %step : index
          %place = arith.select %is_reverse, %mirrored, %step : index
          %line = arith.muli %row, %extent : index
          %in_line = arith.addi %line, %place : index
          %start = arith.muli %in_line, %inner : index
          %at = arith.addi %start, %column : index
          %element = memref.load %x[%at] : memref<?x$type0>
          %sum = $add0 %before, %element : $type0
          %product = $mul0 %before, %element : $type0
          %next = arith.select %is_product, %product, %sum : $type0
          %kept = arith.select %is_exclusive, %before, %next : $type0
          memref.store %kept, %y[%at] : memref<?x$type0>
          scf.yield %next : $type0
        }
      }
    }
    %done = arith.constant 0 : i64
    scf.yield %done : i64
  } else {
    %no_axis = arith.constant 1 : i64
    scf.yield %no_axis : i64
  }
  return %failure : i64
}
