import { isDeepStrictEqual } from 'node:util'
import { diffArrays } from 'diff'
import { isAlias, isCollection, isMap, isNode, isScalar, isSeq, visit, type Document, type ToStringOptions } from 'yaml'
import { Conflict } from '../errors.js'
import { tried } from '../tried.js'
import { editFile } from './file-edits.js'
import { readHomeFile } from './home-file.js'
import { parseYaml, readYaml } from './yaml.js'

/** The place of a value in config.yaml: keys of mappings, indexes of lists. */
export type ConfigPath = readonly [string, ...Array<string | number>]

/**
 * An edit of a config.yaml that keeps comments, order, quotes and anchors. A value that came by an alias or a merge is changed only at the
 * given place, never at the anchor.
 */
export class ConfigEdit {
  readonly #document: Document
  readonly #style: ToStringOptions

  /** Throws Conflict if the text does not parse, or is not a mapping. */
  constructor (text: string) {
    this.#document = readYaml(text)
    this.#style = styleOf(text)
    if (this.#document.errors.length > 0 || !this.#isWhole()) {
      throw new Conflict('config.yaml does not parse; nothing was written to it. Correct it and try again.', 'config_broken')
    }
    if (this.#document.contents !== null && !isMap(this.#document.contents)) {
      throw new Conflict('config.yaml must be a mapping of keys to values.', 'config_broken')
    }
  }

  /** Returns the whole content as plain values. */
  plain (): unknown {
    return this.#document.toJS({ maxAliasCount: 100 })
  }

  /** Returns the plain value at a place; undefined if there is none. */
  get (path: ReadonlyArray<string | number>): unknown {
    let value = this.plain()
    for (const key of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
      value = Reflect.get(value, key)
    }
    return value
  }

  /** Writes a value and creates the mappings that lead to it. Throws Conflict if something other than a mapping is in the way. */
  set (path: ConfigPath, value: unknown): void {
    this.#openTo(path, true)
    this.#free(path)
    const present: unknown = this.#document.getIn(path, true)
    // If only its value changes, the node is kept, because comments are attached to it.
    if (isScalar(present) && !isObject(value)) present.value = value
    else this.#document.setIn(path, this.#document.createNode(value))
  }

  /** Removes a value, and the mappings that are empty without it. */
  delete (path: ConfigPath): void {
    if (this.get(path) === undefined) return
    this.#openTo(path, false)
    this.#free(path)
    this.#document.deleteIn(path)
    // A value that comes by a merge cannot be removed, only overridden.
    if (this.get(path) !== undefined) this.#document.setIn(path, null)
    for (let depth = path.length - 1; depth > 0; depth--) {
      const parent: unknown = this.#document.getIn(path.slice(0, depth), true)
      if (!isMap(parent) || parent.items.length > 0 || parent.anchor !== undefined) return
      this.#document.deleteIn(path.slice(0, depth))
    }
  }

  /** Adds the strings that a list does not contain yet. A single string becomes a list. */
  addToList (path: ConfigPath, items: readonly string[]): void {
    this.#openTo(path, true)
    const before = this.get(path)
    const present = new Set(Array.isArray(before) ? before : [before])
    const missing = [...new Set(items)].filter((item) => !present.has(item))
    if (missing.length === 0) return
    let list: unknown = this.#document.getIn(path, true)
    if (!isSeq(list)) {
      this.#document.setIn(path, this.#document.createNode(Array.isArray(before) ? before : typeof before === 'string' ? [before] : []))
      list = this.#document.getIn(path, true)
    }
    if (!isSeq(list)) return
    // An empty flow list (`[]`) would grow on one line.
    if (list.items.length === 0) list.flow = false
    for (const item of missing) list.add(this.#document.createNode(item))
  }

  /** Removes strings from a list, which may become empty. A single string that is one of them becomes an empty list. */
  removeFromList (path: ConfigPath, items: readonly string[]): void {
    const before = this.get(path)
    const isOut = (value: unknown): boolean => typeof value === 'string' && items.includes(value)
    if (![before].flat().some(isOut)) return
    this.#openTo(path, false)
    this.#free(path)
    const list: unknown = this.#document.getIn(path, true)
    if (!isSeq(list) || !Array.isArray(before)) {
      return this.#document.setIn(path, this.#document.createNode([before].flat().filter((value) => !isOut(value))))
    }
    for (let at = before.length - 1; at >= 0; at--) if (isOut(before[at])) list.delete(at)
    // An empty block list would be written alone on the line below its key.
    if (list.items.length === 0) list.flow = true
  }

  /** Adds an entry to the end of a list, and creates the list if it does not exist. */
  append (path: ConfigPath, value: unknown): void {
    const list = this.get(path)
    if (list !== undefined && list !== null && !Array.isArray(list)) {
      throw new Conflict(`"${path.join('.')}" of config.yaml must be a list.`, 'config_broken')
    }
    if (Array.isArray(list) && isSeq(this.#document.getIn(path, true))) this.#document.addIn(path, this.#document.createNode(value))
    else this.set(path, [...Array.isArray(list) ? list : [], value])
  }

  /**
   * Rearranges a list: `at` is the index of an existing entry, which keeps its comments, `value` a new entry. A single value counts as a
   * list of one.
   */
  arrange (path: ConfigPath, entries: ReadonlyArray<{ at: number } | { value: unknown }>): void {
    const before: unknown[] = [this.get(path) ?? []].flat()
    this.#openTo(path, true)
    this.#free(path)
    const list: unknown = this.#document.getIn(path, true)
    if (!isSeq(list)) {
      return this.#document.setIn(path, this.#document.createNode(entries.map((entry) => 'at' in entry ? before[entry.at] : entry.value)))
    }
    const { items } = list
    list.items = entries.map((entry) => 'at' in entry ? items[entry.at] : this.#document.createNode(entry.value))
    // An empty block list would be written alone on the line below its key, and a flow list would grow on one line.
    if (list.items.length === 0) list.flow = true
    else if (items.length === 0) list.flow = false
  }

  toString (): string {
    return this.#document.toString(this.#style)
  }

  #isWhole (): boolean {
    try {
      this.plain()
      return true
    } catch {
      return false // an alias without its anchor, or too many of them
    }
  }

  /** Replaces all aliases to the nodes at a place with copies, because those nodes are about to change or be removed. */
  #free (path: ConfigPath): void {
    const node: unknown = this.#document.getIn(path, true)
    if (!isNode(node)) return
    const anchors = new Set<string>()
    visit(node, { Node: (_, { anchor }: { anchor?: string }) => { if (anchor !== undefined) anchors.add(anchor) } })
    if (anchors.size === 0) return
    visit(this.#document, {
      Alias: (_, alias) => anchors.has(alias.source) ? this.#document.createNode(alias.toJS(this.#document)) : undefined
    })
    visit(node, { Node: (_, child: { anchor?: string }) => { delete child.anchor } })
  }

  /** Makes every parent of a place a collection of its own. */
  #openTo (path: ConfigPath, create: boolean): void {
    if (this.#document.contents === null) this.#document.contents = this.#document.createNode({})
    for (let depth = 1; depth < path.length; depth++) {
      const part = path.slice(0, depth)
      const node: unknown = this.#document.getIn(part, true)
      if (isCollection(node)) continue
      const value = this.get(part)
      if (isAlias(node) && isObject(value)) this.#document.setIn(part, this.#document.createNode(value))
      else if (node === undefined && isObject(value)) this.#document.setIn(part, this.#document.createNode(value))
      else if (value === undefined || value === null) {
        if (!create) return
        const made = this.#document.createNode({})
        // The comment of `key: # comment` goes before the new content of the key.
        if (isNode(node)) made.commentBefore = node.commentBefore ?? node.comment ?? null
        this.#document.setIn(part, made)
      } else throw new Conflict(`"${part.join('.')}" of config.yaml must be a mapping.`, 'config_broken')
    }
  }
}

/**
 * Changes a config.yaml, which is on the disk when this resolves. Throws Conflict if the file does not parse, and what `change` throws;
 * nothing is written then.
 *
 * @returns whether something was written
 */
export async function editConfigFile (path: string, change: (config: ConfigEdit) => void): Promise<boolean> {
  return await editFile(path, (text) => {
    const config = new ConfigEdit(text)
    const before = config.toString()
    change(config)
    const after = config.toString()
    return after === before ? text : withOwnStyle(text, before, after)
  })
}

/** Throws what {@link editConfigFile} would throw for a change now, without writing anything. */
export function tryConfigEdit (path: string, change: (config: ConfigEdit) => void): void {
  const found = readHomeFile(path)
  if (found !== undefined && 'problem' in found) {
    throw found.passing ?? new Conflict(`config.yaml ${found.problem}; nothing was written to it`, 'config_broken')
  }
  change(new ConfigEdit(found?.text ?? ''))
}

/** Returns the indentation that the file uses. */
function styleOf (text: string): ToStringOptions {
  const indent = /^[^\s#:][^#:\n]*:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n)*( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2
  const hasFlatLists = /^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text)
  return { lineWidth: 0, indent, indentSeq: !hasFlatLists }
}

/**
 * Returns the changed document with all unchanged lines as their owner wrote them, because serialising a document sets spaces and quotes in
 * its own way.
 *
 * @param text the file
 * @param before the same document serialised without the change
 * @param after the document serialised with the change
 */
function withOwnStyle (text: string, before: string, after: string): string {
  const own = text.replace(/\n?$/, '').split('\n')
  const old = before.replace(/\n?$/, '').split('\n')
  if (own.length !== old.length) return after
  const lines: string[] = []
  let at = 0
  for (const { added, removed, value } of diffArrays(old, after.replace(/\n?$/, '').split('\n'))) {
    if (added) lines.push(...value)
    else {
      if (!removed) lines.push(...own.slice(at, at + value.length))
      at += value.length
    }
  }
  const styled = `${lines.join('\n')}\n`
  return tried(() => isDeepStrictEqual(parseYaml(styled), parseYaml(after)) ? styled : after, after)
}

function isObject (value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
