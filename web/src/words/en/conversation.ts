export const conversation = {
}
