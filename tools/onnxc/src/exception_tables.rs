//! Exception tables of the runtime's functions.
//!
//! rustc puts the table of each function in a separate section, without a mark whose table it is. LLVM's linker then
//! keeps the tables of functions that it leaves out, which are a fifth of a small program.

use std::collections::HashMap;

use object::LittleEndian;
use object::elf::{FileHeader64, SHF_GROUP, SHF_LINK_ORDER};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader};

/// How sections of exception tables are named; the function's name follows.
const TABLE: &str = ".gcc_except_table.";

/// How sections of functions are named, the more special first.
const FUNCTIONS: [&str; 5] = [".text.unlikely.", ".text.hot.", ".text.startup.", ".text.exit.", ".text."];

/// The offset in an archive of a section's header, its flags, and the index of the section that owns it.
struct Mark {
    header: usize,
    flags: u64,
    owner: u32,
}

/// Marks each table in an archive of 64-bit ELF objects with the section of its function.
pub(crate) fn mark(archive: &mut [u8]) -> Result<(), object::Error> {
    let mut marks = Vec::new();
    let file = ArchiveFile::parse(&*archive)?;
    for member in file.members() {
        let member = member?;
        // lists of symbols and notes are members, too
        if let Some(own) = marks_of(member.data(&*archive)?) {
            let start = member.file_range().0 as usize;
            marks.extend(own.into_iter().map(|mark| Mark { header: start + mark.header, ..mark }));
        }
    }
    for Mark { header, flags, owner } in marks {
        // sh_flags and sh_link of Elf64_Shdr
        archive[header + 8..][..8].copy_from_slice(&flags.to_le_bytes());
        archive[header + 40..][..4].copy_from_slice(&owner.to_le_bytes());
    }
    Ok(())
}

/// The marks of an object; `None` if it is not ELF with 64 bits.
fn marks_of(object: &[u8]) -> Option<Vec<Mark>> {
    let header = FileHeader64::<LittleEndian>::parse(object).ok()?;
    let (endian, start) = (header.endian().ok()?, header.e_shoff.get(LittleEndian) as usize);
    let table = header.sections(endian, object).ok()?;
    let named = || {
        table.enumerate().filter_map(|(at, section)| {
            let name = std::str::from_utf8(table.section_name(endian, section).ok()?).ok()?;
            Some((at.0, section, name))
        })
    };
    let function = |name: &str| FUNCTIONS.iter().find_map(|prefix| Some(name.strip_prefix(prefix)?.to_string()));
    let functions: HashMap<String, usize> = named().filter_map(|(at, _, name)| Some((function(name)?, at))).collect();
    let marks = named().filter_map(|(at, section, name)| {
        let owner = *functions.get(name.strip_prefix(TABLE)?)?;
        let flags = section.sh_flags(endian);
        let is_owned = flags.contains(SHF_GROUP) || flags.contains(SHF_LINK_ORDER);
        let header = start + at * size_of::<object::elf::SectionHeader64<LittleEndian>>();
        (!is_owned).then(|| Mark { header, flags: (flags | SHF_LINK_ORDER).0, owner: owner as u32 })
    });
    Some(marks.collect())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use object::elf::SHF_LINK_ORDER;
    use object::read::elf::ElfFile64;
    use object::{Object, ObjectSection};

    use super::*;

    /// A function whose exception table has a cleanup.
    const SOURCE: &str = "void g(void); void c(int *); void f(void) { __attribute__((cleanup(c))) int x = 0; g(); }";

    #[test]
    fn a_table_belongs_to_its_function() {
        let folder = std::env::temp_dir().join(format!("onnxc-tables-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder takes folders");
        std::fs::write(folder.join("f.c"), SOURCE).expect("the folder takes files");
        let run = |line: &str| {
            let (program, arguments) = line.split_once(' ').expect("it has arguments");
            let status = Command::new(program).args(arguments.split(' ')).current_dir(&folder).status();
            assert!(status.is_ok_and(|status| status.success()), "{line}");
        };
        run("cc -c -O1 -ffunction-sections -fexceptions f.c -o f.o");
        run("ar rcs f.a f.o");
        let mut bytes = std::fs::read(folder.join("f.a")).expect("it was made");
        std::fs::remove_dir_all(&folder).expect("the folder was there");
        mark(&mut bytes).expect("an archive");
        let archive = ArchiveFile::parse(&*bytes).expect("an archive");
        let member = archive.members().next().expect("it has one").expect("a member");
        let file = ElfFile64::<LittleEndian>::parse(member.data(&*bytes).expect("data")).expect("an object");
        let table = file.section_by_name(".gcc_except_table.f").expect("it has a table").elf_section_header();
        let owner = file.section_by_name(".text.f").expect("it has the function");
        assert!(table.sh_flags(LittleEndian).contains(SHF_LINK_ORDER));
        assert_eq!(table.sh_link(LittleEndian), owner.index().0 as u32);
    }
}
