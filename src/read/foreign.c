/* foreign.c - see foreign.h
 *
 * To add a file type, add a line to one of the two tables below. The first line that matches is
 * used, so special types must come before general ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/foreign.h"

#include "read/decode.h"
#include "read/workbook.h"

#define FOREIGN_SCHEMA ((uint32_t)1 << 28) /* most bytes of a stream's schema */
#define BINARY_LEAST   8 /* control characters; the reader reports fewer, with their place */

#define MAGIC(text)         .magic = text, .n_magic = sizeof(text) - 1
#define MAGIC_AT(text, far) MAGIC(text), .at = far

#define MOLECULES                                                                                  \
    "`lode graphs` reads it where lode-molecules is installed (`./dev setup molecules`, then "     \
    "build lode again); or write the graphs as " FOREIGN_GSPAN " and read that file"
#define TO_GSPAN  "write the graphs as " FOREIGN_GSPAN " and read that file with `lode graphs`"
#define AS_CSV    "save the sheet as CSV (File > Save As) and read that file"
#define TO_CSV    "write it as CSV, in Python with to_csv(), and read that file"
#define UNPACK    "unpack it and read the file inside; lode reads gzip and zstd directly"
#define R_CSV     "write it as text in R with write.csv() and read that file"
#define QUERY_CSV "export a table or a query as CSV and read that file"
#define TEXT      "expected a text file"
#define AS_TOLD   "--format reads it"

/* ---- tests of bytes ---- */

static bool foreign_has(foreign_head head, const char *bytes, size_t n) {
    for (const char *p = head.text; (size_t)(head.end - p) >= n; p++) {
        if (memcmp(p, bytes, n) == 0) return true;
    }
    return false;
}

#define HAS(head, text) foreign_has(head, text, sizeof(text) - 1)

/* Control characters that no text has, in any encoding. */
static size_t foreign_count_controls(foreign_head head) {
    size_t n = 0;
    for (const char *p = head.text; p < head.end; p++) {
        unsigned char c = (unsigned char)*p;
        bool text = c >= ' ' || (c >= '\t' && c <= '\r') || c == 0x1a || c == 0x1b;
        n += !text;
    }
    return n;
}

/* For magic numbers that could be the first letters of a text. */
static bool has_control(foreign_head head) {
    return foreign_count_controls(head) > 0;
}

/* If only a few bytes are wrong, the reader reports the first of them. */
static bool is_binary(foreign_head head) {
    size_t n = foreign_count_controls(head);
    return n >= BINARY_LEAST && 16 * n >= (size_t)(head.end - head.text);
}

static bool is_bzip2(foreign_head head) {
    if (head.end - head.text < 10) return false;
    return memcmp(head.text + 4, "1AY&SY", 6) == 0 || memcmp(head.text + 4, "\x17rE8P\x90", 6) == 0;
}

static bool is_pickle(foreign_head head) {
    return head.end - head.text >= 4 && head.text[1] >= 2 && head.text[1] <= 5;
}

static bool is_utf32(foreign_head head) {
    return utf16_is_utf32((const unsigned char *)head.text, (size_t)(head.end - head.text));
}

/* The schema, which is at the beginning, has lode's own keys. */
static bool is_result(foreign_head head) {
    return HAS(head, "lode.kind");
}

/* A mark, the length of a schema's metadata, and the position of its root. */
static bool is_stream(foreign_head head) {
    uint32_t words[3];
    if ((size_t)(head.end - head.text) < sizeof words) return false;
    memcpy(words, head.text, sizeof words);
    return words[1] >= 8 && words[1] < FOREIGN_SCHEMA && words[2] < words[1];
}

/* An archive contains the names of its files as plain text. */
static bool is_xlsx(foreign_head head) {
    return HAS(head, "xl/work") || HAS(head, "xl/styles") || HAS(head, "xl/shared") ||
           HAS(head, "xl/_rels") || HAS(head, "xl/theme");
}
static bool is_docx(foreign_head head) {
    return HAS(head, "word/");
}
static bool is_office(foreign_head head) {
    return HAS(head, "[Content_Types].xml");
}
static bool is_ods(foreign_head head) {
    return HAS(head, "application/vnd.oasis.opendocument");
}
/* The archive of an encrypted document is a stream of this name, in UTF-16. */
static bool is_encrypted(foreign_head head) {
    return HAS(head, "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e");
}

/* ---- what is not text ---- */

static const foreign foreign_binary[] = {
    {"UTF-32 text", "save it as UTF-8 and read that file", .is = is_utf32},
    /* spreadsheets and archives of files */
    {"an Excel workbook", WORKBOOK_ADVICE, MAGIC(WORKBOOK_MAGIC), .is = is_xlsx},
    {"a Word document", "save its table as text and read that file", MAGIC("PK\3\4"),
     .is = is_docx},
    {"an Office document, possibly an Excel workbook", AS_CSV, MAGIC("PK\3\4"), .is = is_office},
    {"an OpenDocument file (LibreOffice)", AS_CSV, MAGIC("PK\3\4"), .is = is_ods},
    {"a zip archive", UNPACK, MAGIC("PK\3\4")},
    {"an encrypted Excel workbook, or another encrypted Office document",
     "save it without a password and read that file", MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
     .is = is_encrypted},
    {"an Excel workbook from before 2007 (.xls), an encrypted one, or another Office document",
     "save it as .xlsx without a password, or its sheet as CSV, and read that file",
     MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")},
    {"a tar archive", UNPACK, MAGIC_AT("ustar", 257), .is = has_control},
    {"a 7z archive", UNPACK, MAGIC("7z\xbc\xaf\x27\x1c")},
    {"a RAR archive", UNPACK, MAGIC("Rar!\x1a\x07")},
    /* compressed files */
    {"gzip data compressed twice", "decompress it once", MAGIC("\x1f\x8b")},
    {"zstd data compressed twice", "decompress it once", MAGIC("\x28\xb5\x2f\xfd")},
    {"an xz file", "decompress it: `xz -dc FILE | lode … -`",
     MAGIC("\xfd"
           "7zXZ\0")},
    {"a bzip2 file", "decompress it: `bunzip2 -c FILE | lode … -`", MAGIC("BZh"), .is = is_bzip2},
    /* data of other programs */
    {"a Parquet file", "lode reads it by its name, uncompressed, with a driver", MAGIC("PAR1"),
     .is = has_control},
    {"a result that lode wrote, not transactions", "`lode query FILE` shows it", MAGIC("ARROW1\0"),
     .is = is_result},
    {"an Arrow file (Feather)", TO_CSV, MAGIC("ARROW1\0"), .arrow = true},
    {"an Arrow stream", TO_CSV, MAGIC("\xff\xff\xff\xff"), .is = is_stream, .arrow = true},
    {"a Feather file of version 1", "write it with version 2, the default", MAGIC("FEA1")},
    {"an ORC file", TO_CSV, MAGIC("ORC"), .is = has_control},
    {"an Avro file", TO_CSV, MAGIC("Obj\1")},
    {"a SQLite database", "export a table: `sqlite3 -header -csv FILE 'select * from …'`",
     MAGIC("SQLite format 3")},
    {"an HDF5 file", TO_CSV, MAGIC("\x89HDF\r\n\x1a\n")},
    {"a NumPy array", TO_CSV, MAGIC("\x93NUMPY")},
    {"a Python pickle", TO_CSV, MAGIC("\x80"), .is = is_pickle},
    {"an RData file", R_CSV, MAGIC("RDX"), .is = has_control},
    {"an RData file", R_CSV, MAGIC("RDA"), .is = has_control},
    {"an RDS file (R)", R_CSV, MAGIC("X\n\0\0\0")},
    {"a MATLAB file", "write it as CSV with writetable() and read that file",
     MAGIC("MATLAB 5.0 MAT-file")},
    {"an SPSS file", "save it as CSV and read that file", MAGIC("$FL2@(#)")},
    {"a Stata file", "write it as CSV with `export delimited` and read that file",
     MAGIC("<stata_dta>")},
    {"a SAS file", "write it as CSV with `proc export` and read that file",
     MAGIC_AT("\xc2\xea\x81\x60\xb3\x14\x11\xcf", 12)},
    /* documents, images */
    {"a PDF document", "copy its table into a spreadsheet and save it as CSV", MAGIC("%PDF-")},
    {"an image", TEXT, MAGIC("\x89PNG\r\n\x1a\n")},
    {"an image", TEXT, MAGIC("\xff\xd8\xff")},
    {"binary data (many of its first bytes are zero or other control characters)", TEXT,
     .is = is_binary},
};

/* ---- what is text of another kind ---- */

static const foreign foreign_texts[] = {
    {"a web page (HTML)",
     "save its table as CSV and read that file; if you meant to download a data file, download it "
     "again",
     .is = foreign_is_html, .lost = true},
    {"a GraphML file (graphs)", TO_GSPAN, .is = foreign_is_graphml},
    {"XML", "export the data as CSV, or " AS_TOLD, .is = foreign_is_xml},
    {"JSON lines",
     "write the items of each record on one line, such as `jq -r '.items | @csv' FILE`",
     .is = foreign_is_json_lines},
    {"JSON",
     "write the items of each record on one line, such as `jq -r '.[] | .items | @csv' FILE`",
     .is = foreign_is_json},
    {"a printed Python list", "write one line per basket with csv.writer()",
     .is = foreign_is_python_list},
    {"a Git LFS pointer", "fetch the file with `git lfs pull`", MAGIC("version https://git-lfs."),
     .lost = true},
    {"a list of SQL statements", QUERY_CSV, .is = foreign_is_sql},
    {"a table drawn with characters", "export it as CSV, without borders", .is = foreign_is_drawn},
    {"an ARFF file of Weka", "save it as CSV, in Weka's Explorer with Save…, and read that file",
     .is = foreign_is_arff},
    {"a list of sequences (-1 and -2 are separators)",
     "lode mines itemsets, not sequences: write each sequence as a line of items, without -1 and "
     "-2",
     .is = foreign_is_sequences},
    {"a file of SPMF with utilities (items:total:values)",
     "lode mines itemsets without utilities: keep the items with `cut -d: -f1 FILE | lode ... -`",
     .is = foreign_is_utilities},
    {"a file of graphs (gSpan text)",
     "read it with `lode graphs` or `lode stats --graphs`; " AS_TOLD " as transactions",
     .is = foreign_is_gspan},
    {"an SDF or MOL file (molecules)", MOLECULES, .is = foreign_is_molfile},
    {"a MOL2 file (molecules)", TO_GSPAN, MAGIC("@<TRIPOS>")},
    {"a list of SMILES (molecules)", MOLECULES, .is = foreign_is_smiles},
};

/* ---- finding ---- */

static bool foreign_fits(const foreign *kind, foreign_head head) {
    if (kind->magic) {
        size_t n = (size_t)(head.end - head.text);
        if (n < kind->at + kind->n_magic) return false;
        if (memcmp(head.text + kind->at, kind->magic, kind->n_magic) != 0) return false;
    }
    return !kind->is || kind->is(head);
}

static const foreign *foreign_find(const foreign *kinds, size_t n, foreign_head head) {
    for (size_t i = 0; i < n; i++) {
        if (foreign_fits(&kinds[i], head)) return &kinds[i];
    }
    return NULL;
}

const foreign *foreign_find_text(const char *head, size_t n) {
    return foreign_find(foreign_texts, sizeof foreign_texts / sizeof *foreign_texts,
                        (foreign_head){head, head + n});
}

bool foreign_is_workbook(const foreign *kind) {
    return kind && kind->is == is_xlsx;
}

bool foreign_may_be_workbook(const foreign *kind) {
    bool archive = kind && kind->magic && strcmp(kind->magic, WORKBOOK_MAGIC) == 0;
    return archive && (!kind->is || kind->is == is_office || kind->is == is_xlsx);
}

const foreign *foreign_find_binary(const unsigned char *head, size_t n) {
    const char *text = (const char *)head;
    const foreign *kind =
        foreign_find(foreign_binary, sizeof foreign_binary / sizeof *foreign_binary,
                     (foreign_head){text, text + n});
    bool last = kind && kind->is == is_binary;
    return last && utf16_recognise(head, n) != UTF16_NOT ? NULL : kind;
}

lode_status foreign_refuse(lode_job *job, const char *name, const foreign *kind) {
    return job_fail(job, LODE_PARSE, "%s: this is %s; %s", name, kind->called, kind->advice);
}
