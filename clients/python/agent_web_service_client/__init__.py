"""The client of Agent web service."""

from .client import Answer, ApiError, Client, Frame, Prompt, TurnFailed

__all__ = ["Answer", "ApiError", "Client", "Frame", "Prompt", "TurnFailed"]
