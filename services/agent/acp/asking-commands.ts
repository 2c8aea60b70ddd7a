/** Commands of agents that change when they ask. What they do is for config.yaml to say. */
const steering = /^\/(?:yolo|approvals?|permissions?|approval-mode|permission-mode|allowed-tools|mode|trust|sandbox|add-dir|auto(?:-?(?:edit|approve|accept))?|bypass[\w-]*|full-access)(?:\s|$)/i

/** Whether a message is a command of the agent's that changes when it asks. */
export const changesAsking = (message: string): boolean => steering.test(message.trimStart())
