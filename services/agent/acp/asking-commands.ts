/** Commands of agents that change when they ask. That is set in config.yaml instead. */
const steering = /^\/(?:yolo|approvals?|permissions?|approval-mode|permission-mode|allowed-tools|mode|trust|sandbox|add-dir|auto(?:-?(?:edit|approve|accept))?|bypass[\w-]*|full-access)(?:\s|$)/i

/** Whether a message is a command that changes when the agent asks. */
export const changesAsking = (message: string): boolean => steering.test(message.trimStart())
