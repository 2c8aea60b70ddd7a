import { createElement, options, type Component, type ComponentType, type FunctionComponent, type Ref, type VNode } from 'preact'

// The parts of React that virtua uses, and the parts of preact/compat that this app uses. The whole of preact/compat would be larger, and
// processes the props of every element.

export { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks'
export { jsx } from 'preact/jsx-runtime'

const takers = new WeakSet<object>()

/** Preact's hook before an element is compared; its own add-ons use the same. */
const hooks = options as { __b?: (vnode: VNode) => void }
const before = hooks.__b
hooks.__b = (vnode) => {
  if (typeof vnode.type === 'function' && vnode.ref != null && takers.has(vnode.type)) {
    (vnode.props as { ref?: Ref<unknown> }).ref = vnode.ref as Ref<unknown>
    vnode.ref = null
  }
  before?.(vnode)
}

/** A component that handles its `ref` itself. */
export function forwardRef<Props extends object> (draw: (props: Props, ref: Ref<unknown> | undefined) => VNode): FunctionComponent<Props> {
  const Forwarding = ({ ref, ...props }: Props & { ref?: Ref<unknown> }): VNode => draw(props as unknown as Props, ref)
  takers.add(Forwarding)
  return Forwarding as FunctionComponent<Props>
}

/** A component that is redrawn only if one of its props has changed. */
export function memo<Props extends object> (component: FunctionComponent<Props>): FunctionComponent<Props> {
  return function Memo (this: Component<Props>, props: Props): VNode {
    this.shouldComponentUpdate = (next) => differ(this.props, next)
    return createElement(component as ComponentType<object>, props)
  } as FunctionComponent<Props>
}

function differ (a: object, b: object): boolean {
  const names = Object.keys(a)
  return names.length !== Object.keys(b).length || names.some((name) => !Object.is(a[name as keyof object], b[name as keyof object]))
}

/** Applies a change and draws it before returning. */
export function flushSync (change: () => void): void {
  const { debounceRendering } = options
  let draw: (() => void) | undefined
  options.debounceRendering = (run) => { draw = run }
  try {
    change()
    draw?.()
  } finally {
    if (debounceRendering === undefined) delete options.debounceRendering
    else options.debounceRendering = debounceRendering
  }
}
