/** Shows that work goes on, or that it waits for the person. */
export function Pulse ({ isWaiting }: { isWaiting: boolean }) {
  return <span class={isWaiting ? 'pulse pulse-waiting' : 'pulse'} aria-hidden />
}
