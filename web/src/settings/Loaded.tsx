import { type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { link } from '../app.js'
import { type Resource } from '../core/service/resource.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Skeleton } from '../ui/Skeleton.js'

/** Reads a resource when it is first shown, and again when the feed reports a change. */
export function useResource<Value> (resource: Resource<Value>): void {
  useEffect(() => {
    void resource.refresh()
    return link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'settings' || event === 'profile') void resource.refresh() })
  }, [resource])
}

/** Shows a resource; until it is loaded, a skeleton or the error with a retry. */
export function Loaded<Value> ({ of, lines, children }: {
  of: Resource<Value>
  lines?: number
  children: (value: Value) => ComponentChildren
}) {
  useResource(of)
  const value = of.value.value
  const error = of.error.value
  return (
    <>
      {error === null ? null : <ErrorState error={error} busy={of.isLoading.value} onRetry={() => { void of.refresh() }} />}
      {value !== undefined ? children(value) : error === null ? <Skeleton {...(lines === undefined ? {} : { lines })} /> : null}
    </>
  )
}
