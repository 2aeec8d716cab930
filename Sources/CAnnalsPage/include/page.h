#ifndef ANNALS_CPAGE_H
#define ANNALS_CPAGE_H

/// The page with names between `%%` where Swift puts the page's values.
const char *annals_page_html(void);
const char *annals_page_style(void);
const char *annals_page_script(void);

#endif
