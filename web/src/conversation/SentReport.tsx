import { visible, visibleText } from '../core/files/paths.js'
import { reportOf, type ReportKind } from '../core/conversation/sent-report.js'
import { Disclosure } from '../ui/Disclosure.js'
import { screenWords } from '../words/index.js'
import './sent-report.css'

const mostLines = 8

/** Shows what the service has put together for the agent as it was sent: in short, with what the agent reads to unfold. */
export function SentReport ({ kind, text }: { kind: ReportKind, text: string }) {
  const { note, lines } = reportOf(kind, text)
  const { review: w, checks, pulls } = screenWords.value
  return (
    <>
      <p class='bubble-text'>{kind === 'review' ? w.sentTitle(lines.length) : kind === 'pull' ? pulls.sentTitle : checks.sentTitle}</p>
      {note === '' ? null : <p class='bubble-text' dir='auto'>{note}</p>}
      <ul class='bubble-report'>
        {lines.slice(0, mostLines).map(({ at, text: said }, index) => (
          <li key={index}><bdi class='bubble-report-at'>{visible(at)}</bdi>{said === '' ? null : <span dir='auto'> {visibleText(said)}</span>}</li>
        ))}
        {lines.length > mostLines ? <li>…</li> : null}
      </ul>
      <Disclosure summary={w.asSent}>{() => <p class='bubble-text' dir='auto'>{text}</p>}</Disclosure>
    </>
  )
}
