# Targets: @NAME@::@NAME@, the static library, and @NAME@::shared, the shared one.
get_filename_component(_@NAME@_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET @NAME@::@NAME@)
    find_package(Threads REQUIRED)
    add_library(@NAME@::@NAME@ STATIC IMPORTED)
    set_target_properties(@NAME@::@NAME@ PROPERTIES
        IMPORTED_LOCATION "${_@NAME@_prefix}/lib/lib@NAME@.a"
        INTERFACE_INCLUDE_DIRECTORIES "${_@NAME@_prefix}/include"
        INTERFACE_LINK_OPTIONS "-Wl,--gc-sections"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;m;${CMAKE_DL_LIBS}")
    add_library(@NAME@::shared SHARED IMPORTED)
    set_target_properties(@NAME@::shared PROPERTIES
        IMPORTED_LOCATION "${_@NAME@_prefix}/lib/lib@NAME@.so"
        INTERFACE_INCLUDE_DIRECTORIES "${_@NAME@_prefix}/include")
endif()
unset(_@NAME@_prefix)
