import { opendirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { within } from '../tools/containment.js'
import { Budget, Unfinished } from './budget.js'
import { CommandFollower, linksOf, mayBringLinks, type ResolvePath, type Stands } from './follow.js'
import { isWild, matcherOf } from './tables/wildcards.js'
import { reason } from '../../../reasons/index.js'

/** A link that a pattern or a search finds, and a place that it leads to: a real path, after which the rest of the pattern may follow. */
export interface Lead { link: string, to: string }

/** Names of the links and of the folders in a folder. */
interface Listing { links: readonly string[], folders: readonly string[] }
/** What an earlier call of the line may have put at a place: what was at another one, or a link with this text. */
type Placement = { to: string, from: string } | { to: string, text: string }

/** How much is looked at for one command line: entries of folders, folders, and links that are followed. */
const mostEntries = 200_000
const mostFolders = 20_000
const mostLinks = 20_000
const mostOrigins = 64
/** Folders of the system: what is linked there leads to others of them. */
const special = ['/proc', '/sys', '/dev', '/usr', '/etc', '/bin', '/sbin', '/lib', '/lib64', '/boot', '/run', '/snap', '/nix']

/**
 * The files that a command line finds: those on disk, and those that earlier calls of the line have moved, copied or linked. How much of a
 * folder is read is limited here, and not by the budget of the line, because a short line may find many files.
 */
export class Disk {
  readonly #named: CommandFollower
  readonly #found: CommandFollower
  readonly #linkAt: (at: string) => Stands
  readonly #listings = new Map<string, Listing>()
  readonly #linked = new Map<string, Lead[]>()
  readonly #puts: Placement[] = []
  #entries = 0
  #folders = 0
  #links = 0
  #isCut = false
  #isMissed = false

  /** @param most how many entries of folders are read */
  constructor (budget: Budget, resolvePath?: ResolvePath, private readonly most = mostEntries) {
    const free = new Budget(Infinity)
    this.#linkAt = linksOf(free)
    this.#named = new CommandFollower(budget, resolvePath)
    this.#found = new CommandFollower(free, resolvePath)
  }

  /** Grows with each change that a call of the line makes. */
  get version (): number {
    return this.#puts.length
  }

  /** Whether there was more to look at than is looked at, so that links may have been missed. */
  get isCut (): boolean {
    return this.#isCut
  }

  /** Whether a pattern may have missed links: some of what it found were links, or it finds names in a folder that was not looked at. */
  get isMissed (): boolean {
    return this.#isMissed || (this.#isCut && this.#links > 0)
  }

  /** Returns the real paths that a path may lead to, given the folders that the process may be in. Throws Unfinished. */
  follow (path: string, folders: Iterable<string>): string[] {
    return this.#named.follow(path, folders)
  }

  /** Called when a call may have put at a place what was at another one. Both are real paths, links at their ends not followed. */
  moves (from: string, to: string): void {
    if (from === to || this.#puts.some((put) => 'from' in put && put.from === from && put.to === to)) return
    const origins = this.#originsOf(from)
    if (origins.some((origin) => mayBringLinks(origin) || this.#puts.some((put) => within(origin, put.to)))) this.#put({ from, to })
  }

  /** Called when a call may have made a link with that text. */
  links (to: string, text: string): void {
    if (!this.#puts.some((put) => 'text' in put && put.text === text && put.to === to)) this.#put({ to, text })
  }

  #put (put: Placement): void {
    this.#puts.push(put)
    for (const follower of [this.#named, this.#found]) follower.expect((at) => this.#putAt(at))
    this.#linked.clear()
  }

  /** Returns what the line may have put at a place. */
  #putAt (at: string): Stands[] {
    const origins = this.#originsOf(at)
    const links = this.#puts.flatMap((put) => 'text' in put && origins.includes(put.to) ? [put.text] : [])
    return [...new Set([...origins.slice(1).map((origin) => this.#linkAt(origin) ?? null), ...links])]
  }

  /** Returns where the links lead that a pattern, an absolute path, finds. @param ofLink whether one at its end stands for itself */
  linked (pattern: string, ofLink: boolean): Lead[] {
    const key = `${ofLink ? 'l' : 't'}${pattern}`
    const known = this.#linked.get(key)
    if (known !== undefined) return known
    const leads = new Map<string, Lead>()
    const seen = new Map<string, Set<string>>()
    const segments = pattern.split('/')
    const first = segments.findIndex(isWild)
    const pending = [{ starts: this.#found.follow(segments.slice(0, first).join('/') || '/'), rest: segments.slice(first) }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const start of next.starts) {
        this.#match(start, next.rest, ofLink, seen, (lead) => {
          const parts = lead.to.split('/')
          const at = parts.findIndex(isWild)
          const isItself = ofLink && parts.at(-1) !== ''
          const places = at !== -1
            ? [lead.to]
            : isItself ? this.#found.follow(dirname(lead.to)).map((place) => join(place, basename(lead.to))) : this.#found.follow(lead.to)
          for (const to of places) {
            if (leads.has(to) || leads.size > mostLinks) continue
            leads.set(to, { link: lead.link, to })
            if (at !== -1) pending.push({ starts: [parts.slice(0, at).join('/') || '/'], rest: parts.slice(at) })
          }
        })
      }
    }
    const found = [...leads.values()]
    this.#linked.set(key, found)
    return found
  }

  /** Returns the paths of the links and folders in a folder, a real path, whose names match a pattern. */
  namesIn (folder: string, pattern: string): string[] {
    const { links, folders } = this.#listingOf(folder)
    return [...new Set([...links, ...folders])].filter(matcherOf(pattern)).map((name) => join(folder, name))
  }

  /** Returns whether a path, in which segments may be patterns, may find links, or folders with links in them. */
  bringsLinks (pattern: string): boolean {
    let places = ['/']
    for (const segment of pattern.split('/')) {
      if (segment === '' || segment === '.') continue
      if (segment.includes('**')) break
      const next: string[] = []
      for (const place of places) {
        if (!isWild(segment)) {
          next.push(join(place, segment))
          continue
        }
        const { links, folders } = this.#listingOf(place)
        const matches = matcherOf(segment)
        if (this.#isCut || links.some(matches)) return true
        next.push(...folders.filter(matches).map((name) => join(place, name)))
      }
      places = next
    }
    return places.some((place) => this.#found.follow(place).join() !== place || this.#holdsLinks(place))
  }

  #holdsLinks (root: string): boolean {
    const pending = [root]
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      const { links, folders } = this.#listingOf(folder)
      if (this.#isCut || links.length > 0) return true
      pending.push(...folders.map((name) => join(folder, name)))
    }
    return false
  }

  /** @param seen in which folders the rest of a pattern has been looked for */
  #match (
    folder: string, [segment, ...rest]: readonly string[], ofLink: boolean, seen: Map<string, Set<string>>, tell: (lead: Lead) => void
  ): void {
    if (segment === undefined || special.some((place) => within(place, folder))) return
    const after = (place: string, segments: readonly string[]): void => { this.#match(place, segments, ofLink, seen, tell) }
    if (segment === '' || segment === '.') return after(folder, rest)
    if (segment === '..') return after(dirname(folder), rest)
    if (this.#isCut) {
      this.#isMissed = true
      return
    }
    const wanted = [segment, ...rest].join('/')
    const places = seen.get(wanted) ?? new Set()
    if (places.has(folder)) return
    seen.set(wanted, places.add(folder))
    // Paths of the usual length cost nothing, very long ones much.
    const cost = 1 + (folder.length ** 2 >> 14)
    const standsForItself = ofLink && rest.length === 0
    const follow = (name: string): void => {
      if (standsForItself) return
      for (const { link, to } of this.#leadsOf(join(folder, name))) tell({ link, to: below(to, rest.join('/')) })
    }
    if (!isWild(segment)) {
      if (!this.#mayLook(cost)) {
        this.#isMissed = true
        return
      }
      follow(segment)
      if (rest.length > 0) after(join(folder, segment), rest)
      return
    }
    const listing = this.#listingOf(folder)
    const deeper = segment === '**' ? [segment, ...rest] : rest
    if (!this.#mayLook(cost + ((listing.links.length + listing.folders.length + rest.length) >> 2))) {
      this.#isMissed ||= listing.links.length > 0 || (deeper.length > 0 && listing.folders.length > 0)
      return
    }
    const matches = segment === '**' ? (name: string) => !name.startsWith('.') : matcherOf(segment)
    for (const name of listing.links) if (matches(name)) follow(name)
    // Older shells find the folder above by `.*`.
    if (matches('..') && !/^\.\[[!^][^\]]*\./.test(segment) && !standsForItself) {
      tell({ link: join(folder, segment), to: below(dirname(folder), rest.join('/')) })
    }
    if (segment === '**') after(folder, rest)
    if (deeper.length > 0) for (const name of listing.folders) if (matches(name)) after(join(folder, name), deeper)
  }

  /**
   * Returns where the links below a folder lead.
   *
   * @param levels how many levels of folders are searched
   * @param goesOn whether what is below the place that a link leads to is searched too
   */
  below (root: string, levels: number, goesOn: (lead: Lead) => boolean): void {
    const pending = [{ folder: root, left: levels }]
    const seen = new Set([root])
    for (let next = pending.pop(); next !== undefined && !this.#isCut; next = pending.pop()) {
      const { folder, left } = next
      const { links, folders } = this.#listingOf(folder)
      const enter = (path: string): void => {
        if (left <= 1 || seen.has(path)) return
        seen.add(path)
        pending.push({ folder: path, left: left - 1 })
      }
      for (const name of folders) enter(join(folder, name))
      for (const name of links) for (const lead of this.#leadsOf(join(folder, name))) if (goesOn(lead)) enter(lead.to)
    }
  }

  /** Returns where a link leads, if there is one. */
  #leadsOf (link: string): Lead[] {
    const places = this.#found.follow(link).filter((to) => to !== link)
    this.#links += places.length
    if (this.#links > mostLinks) this.#isCut = true
    return places.map((to) => ({ link, to }))
  }

  #mayLook (entries: number): boolean {
    this.#entries += entries
    if (this.#entries > this.most || this.#folders > mostFolders || this.#links > mostLinks) this.#isCut = true
    return !this.#isCut
  }

  /** Returns the other places where what may be at a place was before. Throws Unfinished. */
  #originsOf (at: string, used: readonly Placement[] = [], found = new Set([at])): string[] {
    for (const put of this.#puts) {
      if (!('from' in put) || used.includes(put) || !within(put.to, at)) continue
      const origin = join(put.from, at.slice(put.to.length))
      if (found.has(origin)) continue
      if (found.add(origin).size > mostOrigins) throw new Unfinished(reason('too_much_work'))
      this.#originsOf(origin, [...used, put], found)
    }
    return [...found]
  }

  #listingOf (folder: string): Listing {
    const origins = this.#puts.length === 0 ? [folder] : this.#originsOf(folder)
    const listings = origins.map((origin) => this.#read(origin))
    const put = origins.flatMap((origin) => this.#puts.filter(({ to }) => to !== origin && within(origin, to))
      .flatMap(({ to }) => to.slice(below(origin, '').length).split('/', 1)))
    const [only] = listings
    if (only !== undefined && listings.length === 1 && put.length === 0) return only
    const all = (names: readonly string[]): string[] => [...new Set([...names, ...put])]
    return { links: all(listings.flatMap(({ links }) => links)), folders: all(listings.flatMap(({ folders }) => folders)) }
  }

  #read (folder: string): Listing {
    const known = this.#listings.get(folder)
    if (known !== undefined) return known
    const links: string[] = []
    const folders: string[] = []
    this.#folders++
    if (!this.#mayLook(0)) return { links, folders }
    try {
      const opened = opendirSync(folder, { bufferSize: 256 })
      try {
        for (let entry = opened.readSync(); entry !== null && this.#mayLook(1); entry = opened.readSync()) {
          if (entry.isSymbolicLink()) links.push(entry.name)
          else if (entry.isDirectory()) folders.push(entry.name)
        }
      } finally {
        opened.closeSync()
      }
    } catch {
      // A folder that cannot be read here is judged by its name.
    }
    const listing = { links, folders }
    this.#listings.set(folder, listing)
    return listing
  }
}

/** Returns a path below a folder, which need not be normal: a pattern may end in a slash. */
const below = (folder: string, rest: string): string => `${folder === '/' ? '' : folder}/${rest}`
