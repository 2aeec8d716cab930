#include "page.h"

// The files become part of the tool, which stays a single file. A resource of SwiftPM would be a folder next to the tool,
// and an embedded resource of SwiftPM is an array literal in Swift, which takes the compiler much longer than this.

static const unsigned char html[] = {
#embed "page.html"
    , 0};

static const unsigned char style[] = {
#embed "page.css"
    , 0};

// One module in the order in which its parts run.
static const unsigned char script[] = {
#embed "values.js"
    ,
#embed "model.js"
    ,
#embed "list.js"
    ,
#embed "strip.js"
    ,
#embed "pane.js"
    ,
#embed "search.js"
    ,
#embed "run.js"
    , 0};

const char *annals_page_html(void) { return (const char *)html; }
const char *annals_page_style(void) { return (const char *)style; }
const char *annals_page_script(void) { return (const char *)script; }
