/** Shows that the agent is working. */
export function Pulse () {
  return <span class='pulse' aria-hidden />
}
