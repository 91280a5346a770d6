// The value of a node: of f32 its last word, of f64 its last two.
func.func private @rt_tree_value_f32(%nodes: memref<?xi32>, %at: index) -> f32 {
  %bits = memref.load %nodes[%at] : memref<?xi32>
  %value = arith.bitcast %bits : i32 to f32
  return %value : f32
}

func.func private @rt_tree_value_f64(%nodes: memref<?xi32>, %at: index) -> f64 {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : i64
  %after = arith.addi %at, %c1 : index
  %low_word = memref.load %nodes[%at] : memref<?xi32>
  %high_word = memref.load %nodes[%after] : memref<?xi32>
  %low = arith.extui %low_word : i32 to i64
  %high = arith.extui %high_word : i32 to i64
  %shifted = arith.shli %high, %c32 : i64
  %bits = arith.ori %shifted, %low : i64
  %value = arith.bitcast %bits : i64 to f64
  return %value : f64
}

// The number of the leaf that a row of features ends in. A leaf has itself as second successor.
func.func private @rt_tree_leaf_$kind4(%nodes: memref<?xi32>, %root: index, %x: memref<?x$type0>, %row: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %size = arith.constant $words4 : index
  %shift = arith.constant 4 : i32
  %first_order = arith.constant 1 : i32
  %end = scf.while (%node = %root) : (index) -> index {
    %start = arith.muli %node, %size : index
    %at_first = arith.addi %start, %c1 : index
    %first_word = memref.load %nodes[%at_first] : memref<?xi32>
    %first = arith.index_cast %first_word : i32 to index
    %second = arith.addi %first, %c1 : index
    %is_branch = arith.cmpi ne, %second, %node : index
    scf.condition(%is_branch) %node : index
  } do {
  ^bb0(%node: index):
    %start = arith.muli %node, %size : index
    %at_first = arith.addi %start, %c1 : index
    %at_tag = arith.addi %start, %c2 : index
    %at_value = arith.addi %start, %c3 : index
    %feature_word = memref.load %nodes[%start] : memref<?xi32>
    %first_word = memref.load %nodes[%at_first] : memref<?xi32>
    %tag = memref.load %nodes[%at_tag] : memref<?xi32>
    %value = func.call @rt_tree_value_$kind4(%nodes, %at_value) : (memref<?xi32>, index) -> $type4
    %feature_number = arith.index_cast %feature_word : i32 to index
    %first = arith.index_cast %first_word : i32 to index
    %at = arith.addi %row, %feature_number : index
    %feature = memref.load %x[%at] : memref<?x$type0>
    %is_less = arith.cmpf olt, %feature, %value : $type4
    %is_greater = arith.cmpf ogt, %feature, %value : $type4
    %is_unordered = arith.cmpf uno, %feature, %value : $type4
    // 0 less, 1 equal, 2 greater, 3 unordered
    %less = arith.extui %is_less : i1 to i32
    %greater = arith.extui %is_greater : i1 to i32
    %unordered = arith.extui %is_unordered : i1 to i32
    %above = arith.subi %first_order, %less : i32
    %ordered = arith.addi %above, %greater : i32
    %twice = arith.addi %unordered, %unordered : i32
    %order = arith.addi %ordered, %twice : i32
    %orders = arith.shrui %tag, %order : i32
    %bit = arith.andi %orders, %first_order : i32
    %holds = arith.cmpi eq, %bit, %first_order : i32
    %step = arith.select %holds, %c0, %c1 : index
    %next = arith.addi %first, %step : index
    scf.yield %next : index
  }
  %end_start = arith.muli %end, %size : index
  %end_tag = arith.addi %end_start, %c2 : index
  %leaf_tag = memref.load %nodes[%end_tag] : memref<?xi32>
  %leaf_word = arith.shrui %leaf_tag, %shift : i32
  %leaf = arith.index_cast %leaf_word : i32 to index
  return %leaf : index
}

// A result combined with a weight, or with the result of other trees: 0 average and 1 sum, 2 min, 3 max.
func.func private @rt_tree_both_$kind4(%aggregate: index, %result: $type4, %other: $type4) -> $type4 {
  %c2 = arith.constant 2 : index
  %sum = arith.addf %result, %other : $type4
  %is_sum = arith.cmpi ult, %aggregate, %c2 : index
  %is_min = arith.cmpi eq, %aggregate, %c2 : index
  %is_less = arith.cmpf olt, %result, %other : $type4
  %is_greater = arith.cmpf ogt, %result, %other : $type4
  %is_nearer = arith.select %is_min, %is_less, %is_greater : i1
  %is_nan = arith.cmpf uno, %other, %other : $type4
  %stays = arith.ori %is_nearer, %is_nan : i1
  %nearest = arith.select %stays, %result, %other : $type4
  %both = arith.select %is_sum, %sum, %nearest : $type4
  return %both : $type4
}

// Up to 64 targets are aggregated in one walk. Trees are aggregated in the groups of runtime/src/calls/trees.rs, whose
// results are combined in order.
func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %block = arith.constant 64 : index
  %most_groups = arith.constant 64 : index
  %group_words = arith.constant 262144 : index
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %tree_nodes = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %leaf_starts = func.call @rt_after(%words, %tree_nodes) : (memref<?xi64>, index) -> index
  %weight_targets = func.call @rt_after(%words, %leaf_starts) : (memref<?xi64>, index) -> index
  %tree_weights = func.call @rt_after(%words, %weight_targets) : (memref<?xi64>, index) -> index
  %initial = func.call @rt_after(%words, %tree_weights) : (memref<?xi64>, index) -> index
  %at_count = func.call @rt_after(%words, %initial) : (memref<?xi64>, index) -> index
  %at_features = arith.addi %at_count, %c1 : index
  %at_aggregate = arith.addi %at_count, %c3 : index
  %result = arith.addi %at_count, %c4 : index
  %rank = func.call @rt_word(%words, %c1) : (memref<?xi64>, index) -> index
  %trees = func.call @rt_word(%words, %at_count) : (memref<?xi64>, index) -> index
  %features = func.call @rt_word(%words, %at_features) : (memref<?xi64>, index) -> index
  %aggregate = func.call @rt_word(%words, %at_aggregate) : (memref<?xi64>, index) -> index
  %last_axis = arith.subi %rank, %c1 : index
  %columns = func.call @rt_extent(%words, %c0, %last_axis) : (memref<?xi64>, index, index) -> index
  %has_features = arith.cmpi ule, %features, %columns : index
  %failure = scf.if %has_features -> (i64) {
    %x_address = func.call @rt_address(%words, %c0) : (memref<?xi64>, index) -> index
    %nodes_address = func.call @rt_address(%words, %tree_nodes) : (memref<?xi64>, index) -> index
    %leaves_address = func.call @rt_address(%words, %leaf_starts) : (memref<?xi64>, index) -> index
    %targets_address = func.call @rt_address(%words, %weight_targets) : (memref<?xi64>, index) -> index
    %weights_address = func.call @rt_address(%words, %tree_weights) : (memref<?xi64>, index) -> index
    %base_address = func.call @rt_address(%words, %initial) : (memref<?xi64>, index) -> index
    %y_address = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %x = "rt.buffer"(%x_address) : (index) -> memref<?x$type0>
    %nodes = "rt.buffer"(%nodes_address) : (index) -> memref<?xi32>
    %leaves = "rt.buffer"(%leaves_address) : (index) -> memref<?xi32>
    %targets = "rt.buffer"(%targets_address) : (index) -> memref<?xi32>
    %weights = "rt.buffer"(%weights_address) : (index) -> memref<?x$type4>
    %base = "rt.buffer"(%base_address) : (index) -> memref<?x$type4>
    %y = "rt.buffer"(%y_address) : (index) -> memref<?x$type4>
    %sums = memref.alloca() : memref<64x$type4>
    %node_words = func.call @rt_extent(%words, %tree_nodes, %c0) : (memref<?xi64>, index, index) -> index
    %leaf_count = func.call @rt_extent(%words, %leaf_starts, %c0) : (memref<?xi64>, index, index) -> index
    %named_count = func.call @rt_extent(%words, %weight_targets, %c0) : (memref<?xi64>, index, index) -> index
    %target_count = func.call @rt_extent(%words, %initial, %c0) : (memref<?xi64>, index, index) -> index
    %has_starts = arith.cmpi ne, %leaf_count, %c0 : index
    %has_targets = arith.cmpi ne, %named_count, %c0 : index
    %zero = arith.constant 0.0 : $type4
    %nan = arith.constant $not_a_number4 : $type4
    %is_average = arith.cmpi eq, %aggregate, %c0 : index
    %is_sum = arith.cmpi ult, %aggregate, %c2 : index
    // a target without a weight is NaN for minimum and maximum, so that any weight replaces it
    %none = arith.select %is_sum, %zero, %nan : $type4
    %no_tree = arith.cmpi eq, %trees, %c0 : index
    %divisor_index = arith.select %no_tree, %c1, %trees : index
    %divisor_word = arith.index_cast %divisor_index : index to i64
    %divisor = arith.sitofp %divisor_word : i64 to $type4
    %large = arith.divui %node_words, %group_words : index
    %is_huge = arith.cmpi ugt, %large, %most_groups : index
    %bounded = arith.select %is_huge, %most_groups, %large : index
    %is_many = arith.cmpi ugt, %bounded, %trees : index
    %limited = arith.select %is_many, %trees, %bounded : index
    %is_one = arith.cmpi ult, %limited, %c2 : index
    %groups = arith.select %is_one, %c1, %limited : index
    %result_rank_at = arith.addi %result, %c1 : index
    %result_rank = func.call @rt_word(%words, %result_rank_at) : (memref<?xi64>, index) -> index
    %total = func.call @rt_product(%words, %result, %c0, %result_rank) : (memref<?xi64>, index, index, index) -> index
    %rows = arith.divui %total, %target_count : index
    scf.for %row = %c0 to %rows step %c1 {
      %row_start = arith.muli %row, %columns : index
      %result_start = arith.muli %row, %target_count : index
      scf.for %from = %c0 to %target_count step %block {
        %there = arith.subi %target_count, %from : index
        %is_whole = arith.cmpi ugt, %there, %block : index
        %width = arith.select %is_whole, %block, %there : index
        %block_start = arith.addi %result_start, %from : index
        scf.for %group = %c0 to %groups step %c1 {
          scf.for %at = %c0 to %width step %c1 {
            memref.store %none, %sums[%at] : memref<64x$type4>
          }
          %before = arith.muli %group, %trees : index
          %first = arith.divui %before, %groups : index
          %after = arith.addi %before, %trees : index
          %last = arith.divui %after, %groups : index
          scf.for %root = %first to %last step %c1 {
            %leaf = func.call @rt_tree_leaf_$kind4(%nodes, %root, %x, %row_start) : (memref<?xi32>, index, memref<?x$type0>, index) -> index
            %next_leaf = arith.addi %leaf, %c1 : index
            %all_start = arith.muli %leaf, %target_count : index
            %all_end = arith.addi %all_start, %target_count : index
            %one_start = arith.select %has_targets, %leaf, %all_start : index
            %one_end = arith.select %has_targets, %next_leaf, %all_end : index
            %range:2 = scf.if %has_starts -> (index, index) {
              %start_word = memref.load %leaves[%leaf] : memref<?xi32>
              %end_word = memref.load %leaves[%next_leaf] : memref<?xi32>
              %start = arith.index_cast %start_word : i32 to index
              %end = arith.index_cast %end_word : i32 to index
              scf.yield %start, %end : index, index
            } else {
              scf.yield %one_start, %one_end : index, index
            }
            scf.for %at = %range#0 to %range#1 step %c1 {
              %target = scf.if %has_targets -> (index) {
                %target_word = memref.load %targets[%at] : memref<?xi32>
                %named = arith.index_cast %target_word : i32 to index
                scf.yield %named : index
              } else {
                %in_order = arith.subi %at, %all_start : index
                scf.yield %in_order : index
              }
              %in_block = arith.subi %target, %from : index
              %is_here = arith.cmpi ult, %in_block, %width : index
              scf.if %is_here {
                %weight = memref.load %weights[%at] : memref<?x$type4>
                %sum = memref.load %sums[%in_block] : memref<64x$type4>
                %next = func.call @rt_tree_both_$kind4(%aggregate, %sum, %weight) : (index, $type4, $type4) -> $type4
                memref.store %next, %sums[%in_block] : memref<64x$type4>
              }
            }
          }
          %is_first = arith.cmpi eq, %group, %c0 : index
          scf.for %at = %c0 to %width step %c1 {
            %to = arith.addi %block_start, %at : index
            %sum = memref.load %sums[%at] : memref<64x$type4>
            %joined = scf.if %is_first -> ($type4) {
              scf.yield %sum : $type4
            } else {
              %so_far = memref.load %y[%to] : memref<?x$type4>
              %both = func.call @rt_tree_both_$kind4(%aggregate, %so_far, %sum) : (index, $type4, $type4) -> $type4
              scf.yield %both : $type4
            }
            memref.store %joined, %y[%to] : memref<?x$type4>
          }
        }
        scf.for %at = %c0 to %width step %c1 {
          %to = arith.addi %block_start, %at : index
          %target = arith.addi %from, %at : index
          %joined = memref.load %y[%to] : memref<?x$type4>
          %start = memref.load %base[%target] : memref<?x$type4>
          %quotient = arith.divf %joined, %divisor : $type4
          %is_nan = arith.cmpf uno, %joined, %joined : $type4
          %number = arith.select %is_nan, %zero, %joined : $type4
          %finished = arith.select %is_average, %quotient, %number : $type4
          %final = arith.addf %finished, %start : $type4
          memref.store %final, %y[%to] : memref<?x$type4>
        }
      }
    }
    %done = arith.constant 0 : i64
    scf.yield %done : i64
  } else {
    %no_feature = arith.constant 1 : i64
    scf.yield %no_feature : i64
  }
  return %failure : i64
}
