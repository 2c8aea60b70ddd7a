import { useEffect, useState } from 'preact/hooks'

/** The outcome of reading a file's bytes. */
export type Read = { state: 'reading' } | { state: 'read', bytes: ArrayBuffer } | { state: 'large' } | { state: 'failed' }

/** Reads the bytes at an address, unless there are more than `most`. */
export function useBytes (url: string, most: number): Read & { handleRetry: () => void } {
  const [read, setRead] = useState<Read>({ state: 'reading' })
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    const become = (next: Read): void => { if (!stop.signal.aborted) setRead(next) }
    bytesOf(url, most, stop.signal).then(become, () => become({ state: 'failed' }))
    return () => stop.abort()
  }, [url, tries])
  return {
    ...read,
    handleRetry: () => {
      setRead({ state: 'reading' })
      setTries(tries + 1)
    }
  }
}

async function bytesOf (url: string, most: number, signal: AbortSignal): Promise<Read> {
  const response = await fetch(url, { signal })
  if (!response.ok) return { state: 'failed' }
  if (Number(response.headers.get('content-length') ?? 0) > most) {
    await response.body?.cancel()
    return { state: 'large' }
  }
  return { state: 'read', bytes: await response.arrayBuffer() }
}
