/* The style of a page in light, dark and print. Its colours can be told apart with any colour vision (after Okabe and
 * Ito, and cividis). */
#include "io/report/report.h"

const char *const tamis_report_style[] = {
    ":root{--bg:#fff;--fg:#18212b;--mut:#55616d;--line:#d3dae1;--soft:#f2f5f8;--c0:#8b97a3;--c1:#0072b2;"
    "--c2:#c65300;--c3:#00795a;--c4:#a6467e;--c5:#7a6400;--sh:0 114 178}\n",
    "@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){--bg:#12171c;--fg:#e8ecf0;"
    "--mut:#a7b2bd;--line:#343e49;--soft:#1b2229;--c0:#75818d;--c1:#5ab7ec;--c2:#f0a63a;--c3:#42cfa2;--c4:#e58fc0;"
    "--c5:#e5d34c;--sh:90 183 236}}\n",
    "@media screen{:root[data-theme=dark]{--bg:#12171c;--fg:#e8ecf0;--mut:#a7b2bd;--line:#343e49;--soft:#1b2229;"
    "--c0:#75818d;--c1:#5ab7ec;--c2:#f0a63a;--c3:#42cfa2;--c4:#e58fc0;--c5:#e5d34c;--sh:90 183 236}}\n",
    ":root{color-scheme:light dark}:root[data-theme=light]{color-scheme:light}"
    ":root[data-theme=dark]{color-scheme:dark}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0 auto;max-width:62rem;padding:1.5rem 1.25rem 4rem;background:var(--bg);color:var(--fg);"
    "font:1rem/1.55 system-ui,-apple-system,\"Segoe UI\",\"Liberation Sans\",Arial,sans-serif}\n",
    "header{display:flex;gap:1rem;align-items:flex-start;justify-content:space-between}\n",
    "h1{font-size:1.75rem;line-height:1.2;margin:0 0 .2rem;overflow-wrap:anywhere}\n",
    "h2{font-size:1.25rem;margin:0 0 .6rem;line-height:1.3}\n",
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n",
    "p{margin:.5rem 0;max-width:46rem}\n",
    ".sub,figcaption,.note,caption{color:var(--mut)}\n",
    ".sub{margin:0}\n",
    "nav{margin:1rem 0 0;border-block:1px solid var(--line);padding:.45rem 0}\n",
    "nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:0;padding:0;font-size:.92rem}\n",
    "a{color:var(--c1)}\n",
    "section{padding:1.6rem 0 .4rem;border-top:1px solid var(--line)}\n",
    "nav+main>section:first-child{border-top:0}\n",
    ".lead{font-size:1.15rem;line-height:1.5;max-width:50rem}\n",
    ".lead b{font-weight:650}\n",
    "bdi{overflow-wrap:anywhere}\n",
    "dl.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1rem 0}\n",
    "dl.tiles div{background:var(--soft);border-radius:.5rem;padding:.6rem .8rem}\n",
    "dl.tiles dt{font-size:.85rem;color:var(--mut)}\n",
    "dl.tiles dd{margin:0;font-size:1.45rem;font-weight:600;line-height:1.25;font-variant-numeric:tabular-nums}\n",
    "dl.tiles dd small{display:block;font-size:.8rem;font-weight:400;color:var(--mut)}\n",
    "dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.2rem;margin:.5rem 0}\n",
    "dl.facts dt{color:var(--mut)}dl.facts dd{margin:0;overflow-wrap:anywhere}\n",
    "code{white-space:nowrap}pre code{white-space:inherit}"
    "code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",\"Liberation Mono\",monospace;font-size:.88em}\n",
    "ul.terms{list-style:none;display:flex;flex-wrap:wrap;gap:.35rem .5rem;margin:.5rem 0;padding:0;max-width:46rem}"
    "ul.terms li{background:var(--soft);border-radius:.35rem;padding:.05rem .55rem}\n",
    "pre{background:var(--soft);padding:.7rem .9rem;border-radius:.4rem;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n",
    "figure{margin:.8rem 0 1.2rem;overflow-x:auto}\n",
    "figcaption{font-size:.9rem;max-width:46rem;margin-top:.3rem}\n",
    "figure svg{display:block;width:100%;max-width:38rem;height:auto}\n",
    "figure.wide svg{max-width:46rem}\n",
    "figure.pair .p{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr));gap:.8rem}\n",
    "figure.many .p{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(15.5rem,100%),1fr));gap:.6rem}\n",
    "figure.pair svg,figure.many svg{max-width:none}figure.pair svg{max-width:30rem}\n",
    "text{font:12px system-ui,-apple-system,\"Segoe UI\",\"Liberation Sans\",Arial,sans-serif;fill:var(--fg);"
    "unicode-bidi:plaintext}\n",
    ".tk{fill:var(--mut);font-size:11px}.lb{fill:var(--mut)}.hd{font-weight:600}.m{text-anchor:middle}"
    ".e{text-anchor:end}\n",
    ".gr{stroke:var(--line);stroke-width:1;fill:none}.ax{stroke:var(--c0);stroke-width:1;fill:none}\n",
    ".ln{fill:none;stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1.1;opacity:.75}"
    ".dash{stroke-dasharray:5 4;stroke-width:1.2}\n",
    ".pt{fill:none;stroke-width:4.6;stroke-linecap:round;opacity:.6}\n",
    "path.c0{stroke:var(--c0)}path.c1{stroke:var(--c1)}path.c2{stroke:var(--c2)}path.c3{stroke:var(--c3)}"
    "path.c4{stroke:var(--c4)}path.c5{stroke:var(--c5)}\n",
    "rect.c0,circle.c0{fill:var(--c0)}rect.c1,circle.c1{fill:var(--c1)}rect.c2,circle.c2{fill:var(--c2)}"
    "rect.c3,circle.c3{fill:var(--c3)}circle.c4{fill:var(--c4)}circle.c5{fill:var(--c5)}\n",
    "rect.pale{fill:rgb(var(--sh)/.22)}\n",
    "text.c1{fill:var(--c1)}text.c2{fill:var(--c2)}text.c3{fill:var(--c3)}text.c4{fill:var(--c4)}"
    "text.c5{fill:var(--c5)}\n",
    ".ring{fill:none;stroke:var(--c2);stroke-width:2.5}.halo{fill:none;stroke:#fff;stroke-width:5}"
    ".eye{fill:none;stroke:#000;stroke-width:2}.open{fill:var(--bg);stroke:var(--c1);stroke-width:2}\n",
    ".k0{fill:#fdea45}.k1{fill:#e7d159}.k2{fill:#cab969}.k3{fill:#b0a473}.k4{fill:#958f78}.k5{fill:#7c7b78}"
    ".k6{fill:#666970}.k7{fill:#4e576c}.k8{fill:#31446b}.k9{fill:#00306e}\n",
    ".scroll{overflow-x:auto;margin:.6rem 0}.scroll:has(table.long){max-height:34rem;overflow-y:auto;"
    "width:fit-content;max-width:100%}table.long thead th{position:sticky;top:0;background:var(--bg)}\n",
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}\n",
    "caption{text-align:start;font-size:.9rem;padding:.2rem 0;min-width:min(30rem,85vw);position:sticky;left:0;"
    "max-width:min(46rem,calc(100vw - 2.6rem))}\n",
    "th,td{padding:.22rem .7rem .22rem 0;text-align:start;vertical-align:baseline;"
    "border-bottom:1px solid var(--line);font-weight:400}\n",
    "thead th{font-weight:600;border-bottom-color:var(--c0);white-space:nowrap}\n",
    ".r{text-align:end}td.r{white-space:nowrap}\n",
    "tbody th,td{max-width:22rem}th bdi,td bdi{overflow-wrap:break-word}\n",
    "table.heat td{padding:.3rem .5rem;text-align:center;border:1px solid var(--bg)}"
    "table.heat th{padding-inline-end:.8rem}\n",
    "table.heat thead th{text-align:center;padding-inline:.4rem;white-space:normal;max-width:14rem;"
    "overflow-wrap:anywhere}\n",
    ".q0{background:rgb(var(--sh)/.02)}.q1{background:rgb(var(--sh)/.06)}.q2{background:rgb(var(--sh)/.11)}"
    ".q3{background:rgb(var(--sh)/.16)}.q4{background:rgb(var(--sh)/.21)}.q5{background:rgb(var(--sh)/.26)}\n",
    ".q6{background:rgb(var(--sh)/.31)}.q7{background:rgb(var(--sh)/.36)}.q8{background:rgb(var(--sh)/.41)}"
    ".q9{background:rgb(var(--sh)/.46)}.q10{background:rgb(var(--sh)/.5)}\n",
    "tr.on th,tr.on td{font-weight:600}tr.on th:first-child::before{content:\"\\2713\\a0\";color:var(--c1)}\n",
    "tr.near td{color:var(--fg)}\n",
    "th button{all:unset;cursor:pointer;font-weight:600}th button::after{content:\"\\a0\\2195\";color:var(--c0)}\n",
    "th[aria-sort=ascending] button::after{content:\"\\a0\\2191\";color:var(--c1)}"
    "th[aria-sort=descending] button::after{content:\"\\a0\\2193\";color:var(--c1)}\n",
    "button:focus-visible,a:focus-visible,summary:focus-visible,input:focus-visible,.scroll:focus-visible{"
    "outline:3px solid var(--c2);outline-offset:2px;border-radius:2px}\n",
    ".btn{font:inherit;font-size:.88rem;color:var(--fg);background:var(--soft);border:1px solid var(--line);"
    "border-radius:.4rem;padding:.25rem .7rem;cursor:pointer;white-space:nowrap}\n",
    ".tools{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;font-size:.92rem}\n",
    ".tools input[type=search]{font:inherit;padding:.15rem .4rem;border:1px solid var(--c0);border-radius:.3rem;"
    "background:var(--bg);color:var(--fg)}\n",
    "[hidden]{display:none!important}\n",
    "summary{cursor:pointer;color:var(--c1);margin:.3rem 0}\n",
    ".warn{border-inline-start:4px solid var(--c2);padding:.2rem 0 .2rem .8rem}\n",
    "#tip{position:fixed;z-index:9;pointer-events:none;background:var(--fg);color:var(--bg);padding:.25rem .55rem;"
    "border-radius:.35rem;font-size:.86rem;line-height:1.35;max-width:22rem;white-space:pre-line;"
    "overflow-wrap:anywhere}\n",
    ".hv{fill:none;stroke:var(--fg);stroke-width:2;pointer-events:none}\n",
    "footer{margin-top:2rem;border-top:1px solid var(--line);padding-top:.8rem;font-size:.88rem;"
    "color:var(--mut)}\n",
    "@media screen and (max-width:30rem){body{padding-inline:.75rem}table{font-size:.82rem}"
    "th,td{padding-inline-end:.4rem}text{font-size:13px}.tk{font-size:12px}}\n",
    "@media print{html{font-size:10pt}body{max-width:none;padding:0;font-size:1rem}"
    "nav,.tools,.btn,#tip,.noprint{display:none!important}th button::after{content:none!important}"
    ".scroll,.scroll:has(table.long){overflow:visible;max-height:none}table{font-size:8pt}"
    "section{break-inside:auto;padding-top:.8rem}h2,h3,caption{break-after:avoid}"
    "figure,dl.tiles,tr{break-inside:avoid}figure.many .p{grid-template-columns:repeat(3,1fr)}"
    "figure.pair .p{grid-template-columns:1fr 1fr}a{color:inherit;text-decoration:none}summary{display:none}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n",
    "@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}\n",
    NULL,
};

/* The same classes for a picture in a file of its own, on white. */
const char *const tamis_svg_style[] = {
    ".paper{fill:#fff}\n",
    "text{font:12px \"Helvetica Neue\",Helvetica,Arial,\"Liberation Sans\",sans-serif;fill:#18212b}\n",
    ".tk{fill:#444e58;font-size:11px}.lb{fill:#18212b}.hd{font-weight:600}.m{text-anchor:middle}"
    ".e{text-anchor:end}\n",
    ".gr{stroke:#d9dfe5;stroke-width:1;fill:none}.ax{stroke:#55616d;stroke-width:1;fill:none}\n",
    ".ln{fill:none;stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1.1;opacity:.75}"
    ".dash{stroke-dasharray:5 4;stroke-width:1.2}\n",
    ".pt{fill:none;stroke-width:4.6;stroke-linecap:round;opacity:.6}\n",
    "path.c0{stroke:#8b97a3}path.c1{stroke:#0072b2}path.c2{stroke:#c65300}path.c3{stroke:#00795a}"
    "path.c4{stroke:#a6467e}path.c5{stroke:#7a6400}\n",
    "rect.c0,circle.c0{fill:#8b97a3}rect.c1,circle.c1{fill:#0072b2}rect.c2,circle.c2{fill:#c65300}"
    "rect.c3,circle.c3{fill:#00795a}circle.c4{fill:#a6467e}circle.c5{fill:#7a6400}\n",
    "rect.pale{fill:#0072b2;fill-opacity:.22}\n",
    "text.c1{fill:#0072b2}text.c2{fill:#c65300}text.c3{fill:#00795a}text.c4{fill:#a6467e}text.c5{fill:#7a6400}\n",
    ".ring{fill:none;stroke:#c65300;stroke-width:2.5}.halo{fill:none;stroke:#fff;stroke-width:5}"
    ".eye{fill:none;stroke:#000;stroke-width:2}.open{fill:#fff;stroke:#0072b2;stroke-width:2}\n",
    ".k0{fill:#fdea45}.k1{fill:#e7d159}.k2{fill:#cab969}.k3{fill:#b0a473}.k4{fill:#958f78}.k5{fill:#7c7b78}"
    ".k6{fill:#666970}.k7{fill:#4e576c}.k8{fill:#31446b}.k9{fill:#00306e}\n",
    NULL,
};
