import { signal } from '@preact/signals'
import { personStore } from '../app.js'

const storageKey = 'rail-unfolded'
/** How many keys are remembered at most; older ones are collapsed again. */
const most = 100

const keys = signal<ReadonlySet<string>>(read())

/** The expanded projects and branches of the list, by key; kept on this device until the person signs out. */
export const unfolded = {
  get value (): ReadonlySet<string> { return keys.value },
  toggle (key: string): void {
    const next = new Set(keys.peek())
    if (!next.delete(key)) next.add(key)
    keys.value = next
    try { personStore.setItem(storageKey, JSON.stringify([...next].slice(-most))) } catch {}
  }
}

function read (): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(personStore.getItem(storageKey) ?? '[]')
    return new Set(Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : [])
  } catch {
    return new Set()
  }
}
