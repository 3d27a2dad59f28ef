# Gnomon as an overlay port of vcpkg: `vcpkg install gnomon --overlay-ports=tools/packages/vcpkg`, from
# the sources around it and the packages of the system that tools/setup installs. Nothing is fetched.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../..")
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES clang GNOMON_CLANG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DGNOMON_TESTS=OFF -DGNOMON_EXAMPLES=OFF -DGNOMON_BENCH=OFF
          -DGNOMON_WERROR=OFF -DCMAKE_UNITY_BUILD=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME gnomon CONFIG_PATH lib/cmake/gnomon)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES gnomon AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
set(VCPKG_POLICY_SKIP_COPYRIGHT_CHECK enabled)
