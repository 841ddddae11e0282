/** The API page's style sheet, for light and dark colour schemes. */
export const API_PAGE_STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid #8888; padding: 0.5rem 0 1rem; }
h2 { font-size: 1.1rem; }
h2 span { display: inline-block; min-width: 3.5rem; color: #06c; }
h3 { font-size: 1rem; margin: 0.75rem 0 0.25rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
td { border-top: 1px solid #8884; padding: 0.25rem 0.5rem 0.25rem 0; vertical-align: top; }
td:first-child { width: 35%; }
td b { font-weight: 500; color: #b60; font-size: 0.8rem; }
@media (prefers-color-scheme: dark) { h2 span { color: #6af; } td b { color: #fb6; } }
`
