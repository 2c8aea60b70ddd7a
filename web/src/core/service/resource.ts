import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError } from './api.js'

/** Data of the service as last read. They stay while they are read again, and if that fails. */
export interface Resource<Value> {
  readonly value: ReadonlySignal<Value | undefined>
  readonly error: ReadonlySignal<ApiError | null>
  readonly isLoading: ReadonlySignal<boolean>
  /** Reads the data, once for all callers; a call during a reading causes another one afterwards. Never throws: the error is a state. */
  refresh: () => Promise<void>
  /** Sets data that another answer has brought. */
  set: (value: Value) => void
}

/** @param read throws ApiError */
export function createResource<Value> (read: () => Promise<Value>): Resource<Value> {
  const value = signal<Value | undefined>(undefined)
  const error = signal<ApiError | null>(null)
  const isLoading = signal(false)
  let running: Promise<void> | null = null
  let isWanted = false
  /** Raised by `set`, which is later than a reading in progress. */
  let edition = 0

  async function run (): Promise<void> {
    isLoading.value = true
    while (isWanted) {
      // Views that are drawn together ask together: one reading is for all of them.
      await Promise.resolve()
      isWanted = false
      const mine = ++edition
      try {
        const fresh = await read()
        if (mine === edition) value.value = fresh
        error.value = null
      } catch (failure) {
        if (!(failure instanceof ApiError)) throw failure
        error.value = failure
      }
    }
    isLoading.value = false
    running = null
  }

  return {
    value,
    error,
    isLoading,
    refresh: async () => {
      isWanted = true
      running ??= run()
      await running
    },
    set: (next) => {
      edition++
      value.value = next
      error.value = null
    }
  }
}
