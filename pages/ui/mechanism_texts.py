"""What each mechanism is, for a reader who knows SGD and nothing of matrix factorization."""

from __future__ import annotations

from typing import Final

ABOUT: Final = {
    "iid": "Every step gets fresh noise that knows nothing of the other steps: plain DP-SGD. "
    "Nothing is ever taken back, so the noise of all steps adds up in the weights. It is the "
    "baseline that the others try to beat.",
    "dense": "Each step's noise may depend on all earlier noise, with nothing held back. Of all "
    "such ways it has the least mean error in the running sums of the gradients, which is what SGD "
    "with a constant rate adds up. It knows neither curvature nor momentum nor schedule.",
    "banded_mean": "As Dense MF, but the strategy reaches only b steps back, so that making the "
    "noise needs little memory and an example may come back after b steps at no extra cost. It "
    "has the least mean error of the running sums that b bands allow.",
    "banded_max": "The strategy reaches b steps back, as in BandMF (mean), but what is made small "
    "is the largest error of any running sum instead of their mean. Early steps pay a little so "
    "that no later step stands out.",
    "toeplitz_mean": "Every step mixes earlier noise in by the same recipe: b numbers serve the "
    "whole run. They are chosen for the least mean error of the running sums. Simpler to run than "
    "BandMF and slightly worse by that measure.",
    "toeplitz_max": "One recipe of b numbers for all steps, chosen so that the largest error of "
    "any running sum is least. With the same recipe at every step that is the error of the last "
    "one, the sum that the final weights consist of.",
    "bisr": "Each step takes back fixed shares of the last b draws: 1/2, 1/8, 1/16 and so on, the "
    "series that undoes half a summation. Nothing is optimised, so it costs nothing to design; the "
    "series is cut after b numbers.",
    "bandinv_mean": "Each step's noise is a fixed mix of the last b draws, as in BISR, but the b "
    "numbers are tuned for the least mean error of the running sums. Only past draws are needed, "
    "and these can be drawn again from their seed.",
    "bandinv_max": "A fixed mix of the last b draws, as in BISR, tuned so that the last running "
    "sum, which the final weights consist of, has the least error. Cheap to run, as BandInvMF "
    "(mean) is.",
    "lr_aware": "Noise added while the learning rate is high does more harm, so this one follows "
    "the schedule: it splits the sum weighted by the rates into two equal halves, one before and "
    "one after the noise. With a constant rate it is the square-root mechanism.",
    "noisecurve": "It knows how steep the loss is in each direction and makes the final loss of "
    "plain SGD as small as b bands allow, at momentum 0 and a constant rate. It is designed once "
    "for that condition and then stays as it is, whatever momentum or schedule is used.",
    "sqrt": "Adding up gradients is split into two equal halves, one done before the noise is "
    "added and one after it. No steps are left out, so it needs the whole past. A classic closed "
    "form, close to the best for running sums.",
    "blt_mean": "A few running averages of past noise, forgotten at different speeds, are all it "
    "remembers. With four of them it comes close to mechanisms that need the whole past. Speeds "
    "and shares are tuned for the least mean error of the running sums.",
    "blt_max": "A few running averages of past noise, forgotten at different speeds, are all it "
    "remembers. Speeds and shares are tuned so that the last running sum, which the final weights "
    "consist of, has the least error.",
    "own": "The mechanism that you brought. It is divided by its sensitivity, the length of the "
    "longest column of its C, so that it gives the same privacy as the others.",
}

TITLE: Final = "What each mechanism does"
INTRO: Final = (
    "A mechanism decides how the privacy noise of different training steps goes together. It is "
    "a matrix: privacy is counted on the **strategy C**, and the noise of step t is row t of "
    "**C⁻¹** times fresh independent draws. Noise that is added in one step and taken back later "
    "does less harm to the result."
)
MATRICES: Final = (
    "**C**, what privacy is counted on: column j says where the gradient of step j goes. "
    "**C⁻¹**, how step noise is made: row t mixes the fresh draws of the steps up to t. "
    "**K = C⁻¹C⁻ᵀ**, how the noise of two steps goes together; negative means that one takes back "
    "what the other added. All for sensitivity 1 and σ = 1."
)
LEGEND: Final = (
    "One scale for all three. Colour grows with the logarithm of the size from 0.01 on, so that "
    "small entries show; values on hover."
)
MEMORY: Final = (
    "Memory is what making the noise keeps from step to step, for each weight of the model. "
    "Certificates are about a mechanism's *own* aim, the error of running sums, and say nothing "
    "about its damage here."
)
