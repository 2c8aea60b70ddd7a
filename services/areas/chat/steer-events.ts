/** A text that was sent to a turn. `origin`: what its owner needs to take it back, as JSON text. */
export interface OwnedSteer { text: string, origin: string }

/** What happens to texts that were sent to turns, for listeners. */
export interface SteerEvents {
  /**
   * These texts have an owner and never reached the model. They are in the order in which they were sent. Told inside the write that ends
   * the turn, which is refused if a listener throws: a text is never lost between the turn and its owner.
   */
  steersReturned (sessionId: string, steers: OwnedSteer[]): void
}
