export const inbox = {
}
