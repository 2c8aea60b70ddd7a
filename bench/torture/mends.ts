/** What was done about a finding of torture: the page shows it beside the finding. */
export interface Mend {
  scenario: string
  seed: number
  /** One sentence: the cause, and what is different now. */
  says: string
}

export const mends: Mend[] = [
  {
    scenario: 'machines', seed: 175_503_191,
    says: 'The scenario did not ask again while the machine was still away, which 503 tells a client to do; it does now.'
  },
  {
    scenario: 'migrations', seed: 175_503_191,
    says: 'The scenario compared the progress of a task that the service does in the background after a start; it is not compared any more.'
  },
  {
    scenario: 'unwritable-log', seed: 236_083_184,
    says: 'A draft of the scenario wrote too little to fill the pipe; the committed one floods the log.'
  }
]
