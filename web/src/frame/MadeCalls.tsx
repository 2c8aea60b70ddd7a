import { visible, visibleText } from '../core/files/paths.js'
import { words } from '../words/index.js'
import { type MadeCall } from './viewed-calls.js'

const mostShown = 300
const cut = (text: string): string => text.length > mostShown ? `${text.slice(0, mostShown)}…` : text

/** Lists the calls that a view has made, with their results. */
export function MadeCalls ({ calls }: { calls: readonly MadeCall[] }) {
  const w = words.value.markdown.view
  return (
    <details class='view-calls'>
      <summary>{w.calls(calls.length)}</summary>
      <ol>
        {calls.map(({ id, tool, arguments: args, state, answer }) => (
          <li key={id}>
            <code>{tool === null ? visible(String(args.uri)) : `${visible(tool)} ${visibleText(cut(JSON.stringify(args)))}`}</code>
            {state === 'done' ? null : <span class={`view-call-${state}`}>{w.states[state]}</span>}
            {answer === '' ? null : <span>{visibleText(cut(answer))}</span>}
          </li>
        ))}
      </ol>
    </details>
  )
}
