/** Shows that work goes on. */
export function Pulse () {
  return <span class='pulse' aria-hidden />
}
