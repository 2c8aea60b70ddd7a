/** What changes in a file, line by line. */
export function Change ({ diff }: { diff: string }) {
  return (
    <div class='prompt-change' tabIndex={0} role='group'>
      {diff.split('\n').map((line, at) => <div key={at} class={`prompt-line prompt-line-${line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same'}`}>{line}</div>)}
    </div>
  )
}
