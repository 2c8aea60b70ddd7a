import { useLayoutEffect, useRef } from 'preact/hooks'
import { stepsTo, visible } from '../core/files/paths.js'
import { Icon } from '../ui/Icon.js'
import { ChevronRight } from '../ui/icons.js'
import { screenWords } from '../words/index.js'

/** The path from the workspace to a folder, each step a link. A long path is scrolled to its end. */
export function Crumbs ({ path, onGo }: { path: string, onGo: (path: string) => void }) {
  const list = useRef<HTMLOListElement>(null)
  useLayoutEffect(() => { if (list.current !== null) list.current.scrollLeft = list.current.scrollWidth }, [path])
  const w = screenWords.value.files
  return (
    <nav class='crumbs' aria-label={w.path}>
      <ol ref={list}>
        {stepsTo(path).map((step, depth) => (
          <li key={step.path}>
            {depth > 0 && <Icon of={ChevronRight} size={14} />}
            <button type='button' aria-current={step.path === path ? 'location' : undefined} onClick={() => onGo(step.path)}>
              <bdi>{depth === 0 ? w.workspace : visible(step.name)}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
