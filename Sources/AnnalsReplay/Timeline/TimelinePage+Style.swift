extension TimelinePage {
  /// The look of the page: light and dark, wide and narrow, on paper.
  static let style = #"""

    :root {
      color-scheme: light dark;
      --bg: light-dark(#f5f5f2, #121316); --panel: light-dark(#ffffff, #191b1f); --sunk: light-dark(#fafaf8, #15171a);
      --ink: light-dark(#1c1e22, #e4e6ea); --soft: light-dark(#676c76, #989ea9); --faint: light-dark(#9a9ea6, #6b717c);
      --line: light-dark(#e5e5e0, #2a2d33); --hover: light-dark(#f3f4f1, #20232a);
      --accent: light-dark(#2f55c4, #8ea9ff); --pick: light-dark(#e9eefc, #222a44);
      --add: light-dark(#17784a, #66cc93); --add-bg: light-dark(#e8f5ed, #16281f);
      --del: light-dark(#b1363c, #f08c8f); --del-bg: light-dark(#fbecec, #2d1b1d);
      --mod: light-dark(#8f5b00, #e2b55f); --mod-bg: light-dark(#fcf2dd, #2a2315);
      --mov: light-dark(#5f43b8, #b8a4ff); --mov-bg: light-dark(#f0ecfb, #231e37);
      --row: 34px; --head: 36px;
      --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
    }
    :root[data-theme=light] { color-scheme: light; }
    :root[data-theme=dark] { color-scheme: dark; }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body { display: flex; flex-direction: column; background: var(--bg); color: var(--ink); }
    h1, h2, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
    button, input, select { font: inherit; color: inherit; }
    button { cursor: pointer; }
    button:disabled { cursor: default; opacity: .35; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    [hidden] { display: none !important; }
    .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .num, time { font-variant-numeric: tabular-nums; }
    bdi, .text { unicode-bidi: isolate; }
    svg { display: block; width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.6;
      stroke-linecap: round; stroke-linejoin: round; }
    svg .solid { fill: currentColor; stroke: none; }

    .top { display: flex; align-items: center; gap: 20px; padding: 16px 24px 12px; }
    .names { flex: 1; min-width: 0; }
    h1 { font-size: 18px; font-weight: 650; letter-spacing: -.01em; overflow: hidden; text-overflow: ellipsis;
      white-space: nowrap; }
    .meta { color: var(--soft); font-size: 12.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .meta span + span::before { content: "·"; margin: 0 7px; color: var(--faint); }
    .tools { display: flex; align-items: center; gap: 6px; }
    .icon { display: grid; place-items: center; width: 32px; height: 32px; padding: 0; border: 0; border-radius: 8px;
      background: none; color: var(--soft); }
    .icon:hover:not(:disabled) { background: var(--hover); color: var(--ink); }
    .find { position: relative; width: 264px; }
    .find input { width: 100%; height: 32px; padding: 0 34px 0 32px; border: 1px solid var(--line); border-radius: 8px;
      background: var(--panel); outline-offset: 0; }
    .find input::placeholder { color: var(--faint); }
    .find input::-webkit-search-cancel-button { display: none; }
    .find > svg { position: absolute; left: 9px; top: 8px; color: var(--faint); pointer-events: none; }
    kbd { display: inline-block; min-width: 20px; padding: 0 5px; border: 1px solid var(--line);
      border-radius: 5px; background: var(--sunk); color: var(--soft); font: 11px/18px var(--mono); text-align: center;
      }
    .find kbd { position: absolute; right: 7px; top: 6px; }
    .find input:focus ~ kbd { display: none; }
    .found { position: absolute; z-index: 20; top: 38px; right: 0; width: min(460px, 92vw); max-height: 62vh;
      overflow: auto; padding: 6px; border: 1px solid var(--line); border-radius: 10px; background: var(--panel);
      box-shadow: 0 12px 36px rgb(0 0 0 / 16%); }
    .found h2, .found p { padding: 8px 10px 4px; color: var(--soft); font-size: 11.5px; font-weight: 600; }
    .found p { font-weight: 400; }
    .hit { display: flex; gap: 10px; align-items: baseline; padding: 6px 10px; border-radius: 6px; cursor: pointer; }
    .hit .text { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .hit, .link, .card dd, .card summary, .title { contain: paint; }
    .hit .num { color: var(--soft); font-size: 12px; }
    .hit .more { margin-left: 4px; color: var(--soft); font-size: 12.5px; }
    .hit:hover { background: var(--hover); }
    .hit[aria-selected=true] { background: var(--pick); }

    .tabs { display: flex; gap: 2px; padding: 0 24px; overflow-x: auto; }
    .tabs button { padding: 6px 12px 7px; border: 0; border-radius: 8px 8px 0 0; background: none; color: var(--soft);
      white-space: nowrap; outline-offset: -2px; }
    .tabs button:hover { color: var(--ink); }
    .tabs button[aria-selected=true] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--accent); }

    .strip { padding: 12px 24px 10px; border-block: 1px solid var(--line); background: var(--panel); }
    .slider { position: relative; height: 54px; border-radius: 6px; touch-action: none; cursor: pointer;
      outline-offset: 4px; }
    .slider canvas { display: block; width: 100%; height: 100%; }
    .knob { position: absolute; top: -3px; bottom: -3px; left: 0; width: 2px; margin-left: -1px; border-radius: 2px;
      background: var(--accent); pointer-events: none; }
    .knob::after { content: ""; position: absolute; top: -3px; left: -4px; width: 10px; height: 10px;
      border-radius: 50%;
      background: var(--accent); box-shadow: 0 0 0 2px var(--panel); }
    .peek { position: absolute; z-index: 5; bottom: calc(100% + 6px); padding: 3px 8px; border-radius: 6px;
      background: var(--ink); color: var(--panel); font-size: 12px; white-space: nowrap; pointer-events: none; }
    .bar { display: flex; align-items: center; gap: 14px; margin-top: 8px; }
    .keys { display: flex; align-items: center; gap: 2px; margin-left: -8px; }
    .keys .play { background: var(--accent); color: var(--panel); margin: 0 4px; }
    .keys .play:hover:not(:disabled) { background: var(--accent); color: var(--panel); filter: brightness(1.08); }
    .bar select { height: 28px; padding: 0 4px; border: 1px solid var(--line); border-radius: 7px;
      background: var(--panel);
      color: var(--soft); font-size: 12.5px; }
    .where { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .where b { font-weight: 650; }
    .where time, .where .of { color: var(--soft); }
    .where .of, .where time { margin-left: 12px; }
    .chips { display: flex; gap: 6px; }
    .chip { padding: 1px 8px; border-radius: 20px; font-size: 12px; font-weight: 600;
      font-variant-numeric: tabular-nums;
      white-space: nowrap; }
    .add { color: var(--add); } .chip.add { background: var(--add-bg); }
    .del { color: var(--del); } .chip.del { background: var(--del-bg); }
    .mod { color: var(--mod); } .chip.mod { background: var(--mod-bg); }
    .mov { color: var(--mov); } .chip.mov { background: var(--mov-bg); }

    main { flex: 1; display: grid; grid-template-columns: minmax(0, 1fr) 384px; min-height: 0; }
    .list { position: relative; overflow: auto; min-width: 0; background: var(--panel); outline-offset: -2px;
      overflow-anchor: none; grid-area: 1 / 1; }
    .cols, .row { display: grid; grid-template-columns: var(--grid); align-items: center; column-gap: 22px;
      padding: 0 24px 0 12px; }
    .cols { position: sticky; top: 0; z-index: 4; height: 32px; background: var(--panel); color: var(--soft);
      border-bottom: 1px solid var(--line); }
    .cols > * { font-size: 12px; }
    .cols > *, .row > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .space { position: relative; }
    .sec { position: absolute; left: 0; right: 0; }
    .title { position: sticky; top: 32px; z-index: 3; display: flex; align-items: center; gap: 8px; height: var(--head);
      padding: 0 24px 0 42px; background: var(--sunk); border-bottom: 1px solid var(--line); font-weight: 600; }
    .list.narrow .id { display: none; }
    .list.bare .title { top: 0; }
    .list.bare .cols { display: none; }
    .title .text { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .title .num { color: var(--faint); font-size: 12px; font-weight: 400; }
    .row { position: absolute; left: 0; right: 0; height: var(--row); border-bottom: 1px solid transparent;
      cursor: default; contain: paint; }
    .row:hover { background: var(--hover); }
    .row .mark { justify-self: center; font: 700 13px/1 var(--mono); }
    .row .id { color: var(--soft); font: 12px/1.4 var(--mono); }
    .row .r, .cols .r { text-align: right; font-variant-numeric: tabular-nums; }
    .row.is-add { background: var(--add-bg); } .row.is-mod { background: var(--mod-bg); }
    .row.is-mov { background: var(--mov-bg); } .row.is-del { background: var(--del-bg); color: var(--del); }
    .row.is-del > :not(.mark) { text-decoration: line-through; opacity: .75; }
    .row.picked { box-shadow: inset 3px 0 var(--accent); background: var(--pick); }
    .list:focus-visible { outline: none; }
    main:has(.list:focus-visible)::before { content: ""; z-index: 5; grid-area: 1 / 1; border: 2px solid var(--accent);
      pointer-events: none; }
    del { color: var(--soft); text-decoration: line-through; text-decoration-thickness: 1px; }
    ins { color: var(--mod); font-weight: 600; text-decoration: none; }
    .to { color: var(--faint); padding: 0 .35em; }
    .veiled { color: var(--faint); font-style: italic; }
    .empty { padding: 48px 24px; color: var(--soft); text-align: center; }

    aside { display: flex; flex-direction: column; min-height: 0; border-left: 1px solid var(--line);
      background: var(--sunk); }
    .side { display: flex; gap: 2px; padding: 0 12px; border-bottom: 1px solid var(--line); }
    .side button { padding: 9px 10px 8px; border: 0; background: none; color: var(--soft); font-size: 13px;
      outline-offset: -2px; }
    .side button[aria-selected=true] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--accent); }
    .pane { flex: 1; overflow: auto; padding: 14px 18px 32px; outline-offset: -2px; }
    .pane h2 { margin: 20px 0 8px; font-size: 12px; font-weight: 600; color: var(--soft); }
    .pane h2:first-child { margin-top: 0; }
    .card { margin-bottom: 8px; border: 1px solid var(--line); border-radius: 10px; background: var(--panel); }
    .card summary { display: flex; align-items: baseline; gap: 8px; padding: 8px 12px; cursor: pointer;
      list-style: none;
      border-radius: 10px; }
    .card summary::-webkit-details-marker { display: none; }
    .card summary .text { flex: 1; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .card summary .num { color: var(--soft); font-size: 12px; }
    .card dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 14px; padding: 0 12px 10px;
      font-size: 13px; }
    .card dt { color: var(--soft); }
    .card dd { overflow-wrap: anywhere; }
    .card pre { margin: 0; padding: 10px 12px; border-top: 1px solid var(--line); font: 12px/1.5 var(--mono);
      white-space: pre-wrap; overflow-wrap: anywhere; max-height: 300px; overflow: auto; }
    .link { display: flex; align-items: baseline; gap: 10px; width: 100%; padding: 5px 8px; border: 0;
      border-radius: 7px;
      background: none; text-align: left; outline-offset: -2px; }
    .link:hover { background: var(--hover); }
    .link .mark { font: 700 13px/1.4 var(--mono); width: 12px; flex: none; text-align: center; }
    .link .text { flex: 1; min-width: 0; overflow-wrap: anywhere; }
    .link .id { font-family: var(--mono); font-size: 12px; }
    .link .what { display: block; color: var(--soft); font-size: 12.5px; }
    .link .num { color: var(--soft); font-size: 12px; white-space: nowrap; }
    .link[aria-current=true] { background: var(--pick); }
    .note { color: var(--soft); font-size: 13px; }
    .who { display: flex; align-items: center; gap: 8px; margin-bottom: 12px; }
    .who .text { flex: 1; min-width: 0; font-weight: 600; overflow: hidden; text-overflow: ellipsis;
      white-space: nowrap; }
    .field { display: block; }

    dialog { width: min(560px, 92vw); padding: 22px 26px 26px; border: 1px solid var(--line); border-radius: 14px;
      background: var(--panel); color: var(--ink); box-shadow: 0 24px 64px rgb(0 0 0 / 28%); }
    dialog::backdrop { background: rgb(0 0 0 / 32%); }
    dialog h2 { margin-bottom: 14px; font-size: 16px; }
    dialog dl { display: grid; grid-template-columns: auto 1fr; gap: 8px 18px; align-items: baseline; }
    dialog .about { margin-top: 18px; padding-top: 14px; border-top: 1px solid var(--line); color: var(--soft);
      font-size: 12.5px;
      overflow-wrap: anywhere; }
    dialog .close { float: right; margin: -6px -8px 0 0; }

    @media (max-width: 900px) {
      main { grid-template-columns: minmax(0, 1fr); grid-template-rows: minmax(0, 1fr) minmax(0, 42%); }
      aside { border-left: 0; border-top: 1px solid var(--line); }
      .top { flex-wrap: wrap; gap: 8px; padding: 12px 14px 10px; }
      .names { flex-basis: 100%; }
      .tools { flex: 1; }
      .find { flex: 1; width: auto; }
      .find kbd, #first, #last { display: none; }
      .found { position: fixed; left: 14px; right: 14px; top: 100px; width: auto; }
      .tabs { padding: 0 14px; }
      .strip { padding: 10px 14px 8px; }
      .slider { height: 40px; }
      .bar { flex-wrap: wrap; gap: 6px 10px; }
      .where { flex: 1 1 100%; order: 2; }
      .chips { margin-left: auto; }
      .cols, .row { padding: 0 14px 0 6px; column-gap: 12px; }
      .title { padding: 0 14px 0 30px; }
    }
    @media (prefers-reduced-motion: no-preference) {
      .knob { transition: left .12s ease-out; }
      .slider.dragged .knob { transition: none; }
    }
    @media print {
      :root { color-scheme: light; }
      body { display: block; height: auto; background: #fff; }
      .tools, .tabs, .keys, .bar select, aside { display: none; }
      main { display: block; }
      .list { overflow: visible; }
      .space { height: auto !important; }
      .sec { position: static; height: auto !important; }
      .cols, .title { position: static; }
      .row { position: static; break-inside: avoid; }
      .row, .chip, .title { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }
    .tone-ahead { color: light-dark(#d3d6dc, #3a3f49); }
    .tone-line { color: var(--line); }
    .tone-past { color: light-dark(#7d97e0, #6c84cf); }

    """#
}
