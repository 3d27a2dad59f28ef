# `cpack -G DEB` in the build folder makes a package for Debian of all that is installed.
set(CPACK_PACKAGE_NAME gnomon)
set(CPACK_PACKAGE_VENDOR Gnomon)
set(CPACK_PACKAGE_CONTACT "the authors of Gnomon <gnomon@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "Symbolic expressions over arrays, compiled to native functions")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfmt-dev, libxxhash-dev, zlib1g-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-pthread | libblas3, liblapack3")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
# Other projects have packages of their own.
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
