/** Why a layer has to close. `route`: the app has gone somewhere else. */
export type LayerEnd = 'back' | 'escape' | 'route'

export interface LayerOptions {
  /** Whether Back closes it, as it does everything that covers the page. A panel beside the page only listens to Escape. */
  entry?: boolean
}

/** What of a window's history the layers need. */
export interface LayerHistory {
  readonly state: unknown
  /** Path and query of the entry that is shown. */
  readonly place: string
  pushState: (state: unknown, unused: string, url?: string | URL | null) => void
  replaceState: (state: unknown, unused: string, url?: string | URL | null) => void
  go: (delta: number) => void
  /** Calls for every entry that is arrived at by going, not by pushing. */
  onArrival: (listener: () => void) => void
  /** Puts itself before everybody who pushes or replaces entries. */
  intercept: (
    method: 'pushState' | 'replaceState', before: (state: unknown, url: string | URL | null | undefined, proceed: () => void) => void
  ) => void
}

interface Layer { close: (end: LayerEnd) => void, entry: boolean }

/** How long a way back through the history may take until it is taken to lead nowhere. */
const arrivalTimeoutMs = 1000

/**
 * All that lies over the page. Each layer has an entry of the history, so that Back closes the topmost and never leaves the app; what
 * closes by other means takes its entry with it. How many entries there are is written into each entry, and the history is brought to as
 * many as there are layers whenever either has changed: a layer that opens as another closes takes over its entry, and entries that a
 * reload left without their layers are gone back over.
 */
export class Layers {
  readonly #history: LayerHistory
  readonly #open: Layer[] = []
  /** Where the page under the layers is; an arrival elsewhere closes them all. */
  #place: string
  #own = false
  #settling = false
  #travel: ReturnType<typeof setTimeout> | null = null
  /** What others wanted of the history while layers were open: done on the entry of the page itself, once that is reached. */
  #wanted: { state: unknown, url: string | URL | null | undefined, push: boolean } | null = null

  constructor (history: LayerHistory) {
    this.#history = history
    this.#place = history.place
    history.onArrival(() => this.#arrived())
    history.intercept('pushState', (state, url, proceed) => this.#pushed(state, url, proceed))
    history.intercept('replaceState', (state, url, proceed) => this.#replaced(state, url, proceed))
    this.#settleSoon()
  }

  /** How many are open. */
  get size (): number {
    return this.#open.length
  }

  /**
   * Says that a layer is open. `close` is called when it has to close; what is returned is called when it has closed, by whatever means.
   */
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

  /** Closes the topmost; false when there was none. */
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

  /** What is written in the entry that is shown. */
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
    // What closes and opens in one go, drawing included, is looked at once, when it is all done.
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
      // There is nothing to go back to: the entry becomes one of the page itself.
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

  /** A route that is gone to closes what covers the page, and stands in the history where the covering stood. */
  #pushed (state: unknown, url: string | URL | null | undefined, proceed: () => void): void {
    if (this.#own || (this.#entries() === 0 && this.#travel === null)) return proceed()
    this.#closeAbove(0, 'route')
    this.#wanted = { state, url, push: true }
    if (this.#travel === null && this.#entries() === 1) this.#fulfil()
    else this.#settleSoon()
  }

  /** The page under the layers changes its address: its own entry does, when the layers are gone. */
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
    // On the entry of a layer that is gone already, the place of the page stays beneath.
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

/** The history of the window. */
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

/** The layers of this window. Called once as the app starts, so that what a reload left in the history is tidied. */
export function layers (): Layers {
  if (ofWindow !== null) return ofWindow
  ofWindow = new Layers(windowHistory())
  const mine = ofWindow
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing && mine.escape()) event.preventDefault()
  })
  return ofWindow
}
