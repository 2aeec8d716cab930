extension TimelinePage {
  /// What the page has before its script runs.
  static let body = #"""
    <body>
    <noscript>This page is a program: please let the browser run its script, which loads nothing.</noscript>
    <header class="top">
    <div class="names"><h1 id="heading"></h1><p class="meta" id="meta"></p></div>
    <div class="tools">
    <div class="find" role="search">
    <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="7" cy="7" r="4.5"/><path d="M10.5 10.5 14 14"/></svg>
    <input id="find" type="search" placeholder="Search rows and events" aria-label="Search rows and events"
     role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off"
     spellcheck="false"><kbd aria-hidden="true">/</kbd>
    <div class="found" id="found" role="listbox" tabindex="-1" aria-label="Search results" hidden></div>
    </div>
    <button class="icon" id="theme" aria-label="Light or dark" title="Light or dark (t)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6"/>
    <path class="solid" d="M8 2a6 6 0 0 1 0 12z"/></svg>
    </button>
    <button class="icon" id="help" aria-label="Keys and about" title="Keys and about (?)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.2"/>
    <path d="M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.4v.1"/></svg>
    </button>
    </div>
    </header>
    <nav class="tabs" id="tabs" role="tablist" aria-label="Lists" hidden></nav>
    <section class="strip" aria-label="Timeline">
    <div class="slider" id="slider" role="slider" tabindex="0" aria-label="Batch" aria-orientation="horizontal">
    <canvas id="bars" aria-hidden="true"></canvas><div class="knob" id="knob"></div><div class="peek" id="peek" hidden>
    </div>
    </div>
    <div class="bar">
    <div class="keys">
    <button class="icon" id="first" aria-label="To the beginning" title="To the beginning (Home)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 3.5v9M12 3.5 7 8l5 4.5"/></svg></button>
    <button class="icon" id="back" aria-label="Previous batch" title="Previous batch (←)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M10 3.5 5.5 8l4.5 4.5"/></svg></button>
    <button class="icon play" id="play" aria-label="Play" aria-pressed="false" title="Play (Space)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><path class="solid" id="shape" d="M5 3.2v9.6L12.6 8z"/></svg></button>
    <button class="icon" id="on" aria-label="Next batch" title="Next batch (→)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3.5 10.5 8 6 12.5"/></svg></button>
    <button class="icon" id="last" aria-label="To the end" title="To the end (End)">
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M12 3.5v9M4 3.5 9 8l-5 4.5"/></svg></button>
    </div>
    <select id="speed" aria-label="Speed, in batches a second" title="Speed (+ and −)">
    <option value="0.5">½ a second</option><option value="1">1 a second</option>
    <option value="2" selected>2 a second</option><option value="5">5 a second</option>
    <option value="15">15 a second</option><option value="50">50 a second</option>
    </select>
    <p class="where num" id="where"></p>
    <div class="chips" id="chips"></div>
    </div>
    </section>
    <main>
    <div class="list" id="list" role="grid" tabindex="0" aria-label="Rows" aria-readonly="true">
    <div class="cols" id="cols" role="row" aria-rowindex="1"></div>
    <div class="space" id="space" role="presentation"></div>
    <p class="empty" id="empty" hidden></p>
    </div>
    <aside aria-label="Details">
    <div class="side" role="tablist" aria-label="Details">
    <button role="tab" id="tab-why" aria-controls="pane" aria-selected="true">What did it</button>
    <button role="tab" id="tab-row" aria-controls="pane" aria-selected="false" tabindex="-1">History of the row</button>
    </div>
    <div class="pane" id="pane" role="tabpanel" tabindex="0" aria-labelledby="tab-why"></div>
    </aside>
    </main>
    <p class="sr" id="said" role="status" aria-live="polite"></p>
    <dialog id="about" aria-labelledby="about-title">
    <button class="icon close" id="close" aria-label="Close">
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8"/></svg></button>
    <h2 id="about-title">Keys</h2>
    <dl>
    <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>previous and next batch; with Shift ten at once</dd>
    <dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>the beginning and the end</dd>
    <dt><kbd>Space</kbd> <kbd>+</kbd> <kbd>−</kbd></dt><dd>play and pause, faster and slower</dd>
    <dt><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd></dt><dd>choose a row, and show its history</dd>
    <dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next and previous change of the chosen row</dd>
    <dt><kbd>/</kbd></dt><dd>search rows and events</dd>
    <dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>previous and next list</dd>
    <dt><kbd>t</kbd> <kbd>Esc</kbd></dt><dd>light or dark; let go of the row</dd>
    </dl>
    <p class="about" id="made"></p>
    </dialog>
    """#
}
