/** Why a layer has to close. `route`: the app has moved to another address. */
export type LayerEnd = 'back' | 'escape' | 'route'

export interface LayerOptions {
  /** Whether Back closes it, as for everything that covers the page. A panel beside the page listens to Escape only. */
  entry?: boolean
}

/** The parts of a window's history that layers use. */
export interface LayerHistory {
  readonly state: unknown
  /** The path and query of the current entry. */
  readonly place: string
  pushState: (state: unknown, unused: string, url?: string | URL | null) => void
  replaceState: (state: unknown, unused: string, url?: string | URL | null) => void
  go: (delta: number) => void
  /** Adds a listener for entries reached by going back or forward, not by pushing. */
  onArrival: (listener: () => void) => void
  /** Intercepts every push and replacement of entries. */
  intercept: (
    method: 'pushState' | 'replaceState', before: (state: unknown, url: string | URL | null | undefined, proceed: () => void) => void
  ) => void
}

interface Layer { close: (end: LayerEnd) => void, entry: boolean }

/** How long a step back may take before it counts as having no target. */
const arrivalTimeoutMs = 1000

/**
 * The layers over the page. Each has a history entry, so that Back closes the topmost one and never leaves the app; a layer closed by other
 * means removes its entry. Each entry stores how many there are, and the history is adjusted to the number of layers whenever either
 * changes: a layer that opens as another closes takes over its entry, and entries without layers after a reload are skipped.
 */
export class Layers {
  readonly #history: LayerHistory
  readonly #open: Layer[] = []
  /** The address of the page under the layers; arriving at another address closes them all. */
  #place: string
  #own = false
  #settling = false
  #travel: ReturnType<typeof setTimeout> | null = null
  /** A change of the history that was requested while layers were open. It is applied to the page's own entry once that is reached. */
  #wanted: { state: unknown, url: string | URL | null | undefined, push: boolean } | null = null

  constructor (history: LayerHistory) {
    this.#history = history
    this.#place = history.place
    history.onArrival(() => this.#arrived())
    history.intercept('pushState', (state, url, proceed) => this.#pushed(state, url, proceed))
    history.intercept('replaceState', (state, url, proceed) => this.#replaced(state, url, proceed))
    this.#settleSoon()
  }

  /** The number of open layers. */
  get size (): number {
    return this.#open.length
  }

  /** Opens a layer. `close` is called when it has to close. Call the returned function once it has closed, for whatever reason. */
  add (close: (end: LayerEnd) => void, { entry = true }: LayerOptions = {}): () => void {
    const layer = { close, entry }
    if (this.#wantedEntries() === 0) this.#place = this.#history.place
    this.#open.push(layer)
    this.#settleSoon()
    return () => {
      const at = this.#open.indexOf(layer)
      if (at === -1) return
      this.#open.splice(at, 1)
      this.#settleSoon()
    }
  }

  /** Closes the topmost layer. Returns false if none is open. */
  escape (): boolean {
    const top = this.#open.at(-1)
    if (top === undefined) return false
    this.#close(top, 'escape')
    return true
  }

  #close (layer: Layer, end: LayerEnd): void {
    const at = this.#open.indexOf(layer)
    if (at === -1) return
    this.#open.splice(at, 1)
    layer.close(end)
    this.#settleSoon()
  }

  #closeAbove (entries: number, end: LayerEnd): void {
    for (let top = this.#open.at(-1); top !== undefined && this.#wantedEntries() > entries; top = this.#open.at(-1)) this.#close(top, end)
  }

  /** Returns the number stored in the current entry. */
  #entries (): number {
    const { state } = this.#history
    const entries = typeof state === 'object' && state !== null && 'layers' in state ? state.layers : 0
    return typeof entries === 'number' ? entries : 0
  }

  #wantedEntries (): number {
    return this.#open.filter(({ entry }) => entry).length
  }

  #settleSoon (): void {
    if (this.#settling) return
    this.#settling = true
    // Layers that close and open together are handled once, after drawing.
    setTimeout(() => {
      this.#settling = false
      this.#settle()
    })
  }

  #settle (): void {
    if (this.#travel !== null) return
    const [entries, wanted] = [this.#entries(), this.#wantedEntries()]
    if (entries > wanted) return this.#go(wanted - entries)
    if (wanted === 0) return this.#fulfil()
    for (let depth = entries + 1; depth <= wanted; depth++) this.#write('pushState', { ...Object(this.#history.state), layers: depth })
  }

  #go (delta: number): void {
    this.#travel = setTimeout(() => {
      this.#travel = null
      // The history has no earlier entry, so this one becomes the page's own.
      this.#write('replaceState', { ...Object(this.#history.state), layers: 0 })
      this.#settle()
    }, arrivalTimeoutMs)
    this.#history.go(delta)
  }

  #arrived (): void {
    const travelled = this.#travel !== null
    if (this.#travel !== null) clearTimeout(this.#travel)
    this.#travel = null
    if (!travelled) {
      if (this.#history.place !== this.#place && this.#wanted === null) this.#closeAbove(0, 'route')
      this.#closeAbove(this.#entries(), 'back')
    }
    this.#settleSoon()
  }

  /** Closes the layers when the app moves to another address, which replaces their entries. */
  #pushed (state: unknown, url: string | URL | null | undefined, proceed: () => void): void {
    if (this.#own || (this.#entries() === 0 && this.#travel === null)) return proceed()
    this.#closeAbove(0, 'route')
    this.#wanted = { state, url, push: true }
    if (this.#travel === null && this.#entries() === 1) this.#fulfil()
    else this.#settleSoon()
  }

  /** Changes the address of the page under the layers; the page's own entry is changed when they are closed. */
  #replaced (state: unknown, url: string | URL | null | undefined, proceed: () => void): void {
    if (this.#own || (this.#entries() === 0 && this.#travel === null)) return proceed()
    this.#wanted = { state, url, push: this.#wanted?.push ?? false }
    this.#write('replaceState', { ...Object(state), layers: this.#entries() }, url)
    this.#place = this.#history.place
    this.#settleSoon()
  }

  #fulfil (): void {
    const wanted = this.#wanted
    if (wanted === null) return
    this.#wanted = null
    // The entry of a closed layer is replaced; the page's own entry stays beneath it.
    const method = wanted.push && this.#entries() === 0 ? 'pushState' : 'replaceState'
    this.#write(method, wanted.state, wanted.url)
    this.#place = this.#history.place
  }

  #write (method: 'pushState' | 'replaceState', state: unknown, url?: string | URL | null): void {
    this.#own = true
    try {
      this.#history[method](state, '', url)
    } finally {
      this.#own = false
    }
  }
}

/** Returns the history of the window. */
function windowHistory (): LayerHistory {
  const { history, location } = window
  return {
    get state () { return history.state },
    get place () { return location.pathname + location.search },
    pushState: (state, unused, url) => history.pushState(state, unused, url),
    replaceState: (state, unused, url) => history.replaceState(state, unused, url),
    go: (delta) => history.go(delta),
    onArrival: (listener) => window.addEventListener('popstate', listener),
    intercept: (method, before) => {
      const original = history[method]
      history[method] = (state, unused, url) => before(state, url, () => original.call(history, state, unused, url))
    }
  }
}

let ofWindow: Layers | null = null

/** Returns the layers of this window. The first call, at the start, tidies up what a reload left in the history. */
export function layers (): Layers {
  if (ofWindow !== null) return ofWindow
  ofWindow = new Layers(windowHistory())
  const mine = ofWindow
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing && mine.escape()) event.preventDefault()
  })
  return ofWindow
}
