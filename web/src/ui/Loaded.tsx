import { type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { link } from '../app.js'
import { type Resource } from '../core/service/resource.js'
import { ErrorState } from './ErrorState.js'
import { Skeleton } from './Skeleton.js'

interface LoadedProps<Value> {
  of: Resource<Value>
  /** How many lines the skeleton has. */
  lines?: number
  children: (value: Value) => ComponentChildren
}

/** Reads a resource when it is first shown, and again when the feed reports a change. */
export function useResource<Value> (resource: Resource<Value>): void {
  useEffect(() => {
    void resource.refresh()
    return link.onFrame(({ event }) => { if (event === 'snapshot' || event === 'settings' || event === 'profile') void resource.refresh() })
  }, [resource])
}

/** Reads and shows a resource; until it is loaded, a skeleton or the error with a retry. */
export function Loaded<Value> (props: LoadedProps<Value>) {
  useResource(props.of)
  return <ResourceState {...props} />
}

/** Shows a resource that the caller reads; until it is loaded, a skeleton or the error with a retry. */
export function ResourceState<Value> ({ of, lines, children }: LoadedProps<Value>) {
  const value = of.value.value
  const error = of.error.value
  return (
    <>
      {error === null ? null : <ErrorState error={error} busy={of.isLoading.value} onRetry={() => { void of.refresh() }} />}
      {value !== undefined ? children(value) : error === null ? <Skeleton lines={lines} /> : null}
    </>
  )
}
